/** An object that holds another one: the operator does not delete the cloud object before the holder. */
export interface Holder {
  /** The name for a message. */
  name: string;
  /** The action that ends the hold: delete the holder, withdraw a sharing, or enable a kind. */
  cure: "delete" | "unshare" | "enable";
}
