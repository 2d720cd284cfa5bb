import type { Interaction } from "./interactions.ts";

/** Lists of the service itself: another moment has other rows. */
const CATALOGS =
  /^GET \/(regions|regions\/availability|regions\/[^/]+|betas|account\/betas|compute\/kernels|databases\/engines|images|profile\/security-questions|profile\/logins|networking\/ipv6\/pools|networking\/ips)$/;

export function isCatalog({ operation }: Interaction): boolean {
  return CATALOGS.test(operation);
}

/** Names what the rows of an operation are: an item, its list, its creation and its update are alike. */
export function resourceOf({ operation }: Interaction): string {
  const [, path = ""] = operation.split(" ");
  const item = path
    .replace(/\/\{[^/]+\}$/, "")
    .replace(/^\/compute\/instances\/\{computeId\}\/rebuild$/, "/compute/instances");
  return operation.startsWith("DELETE") ? operation : item.replace(/^\/images\/upload$/, "/images");
}
