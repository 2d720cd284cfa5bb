/**
 * Holders of exclusive cloud objects, and offers to release them. Example: an instance has at most one firewall, so a Firewall is
 * the holder of the instance.
 */

/** An offer to release a cloud object. */
export interface Offer {
  /** The key of the object that releases. */
  by: string;
  /** Time of the first offer, clock milliseconds. */
  since: number;
  /** Sends the request that releases the cloud object. Throws the errors of the request. */
  release: () => Promise<void>;
}

/** Holders and offers by topic: see model/topic.ts. */
export interface Holdings {
  /** Replaces the topics of a holder. */
  hold: (key: string, topics: readonly string[]) => void;
  /** Returns the key of the holder. */
  holderOf: (topic: string) => string | undefined;
  /** Returns true if the object is a holder of the topic. */
  has: (key: string, topic: string) => boolean;
  /** Adds or replaces the offer of an object. */
  offer: (topic: string, offer: Offer) => void;
  offerOf: (topic: string) => Offer | undefined;
  /** Removes the offer of an object. */
  withdraw: (topic: string, key: string) => void;
  /** Forgets a deleted object. */
  forget: (key: string) => void;
}

/** Creates the index of a process. */
export function createHoldings(): Holdings {
  const holders = new Map<string, string>();
  const topicsOf = new Map<string, readonly string[]>();
  const offers = new Map<string, Offer>();

  function hold(key: string, topics: readonly string[]): void {
    for (const topic of topicsOf.get(key) ?? []) if (holders.get(topic) === key) holders.delete(topic);
    for (const topic of topics) holders.set(topic, key);
    if (topics.length > 0) topicsOf.set(key, topics);
    else topicsOf.delete(key);
  }

  return {
    hold,
    holderOf: (topic) => holders.get(topic),
    has: (key, topic) => topicsOf.get(key)?.includes(topic) ?? false,
    offer: (topic, offer) => void offers.set(topic, offer),
    offerOf: (topic) => offers.get(topic),
    withdraw(topic, key) {
      if (offers.get(topic)?.by === key) offers.delete(topic);
    },
    forget(key) {
      hold(key, []);
      for (const [topic, { by }] of offers) if (by === key) offers.delete(topic);
    },
  };
}
