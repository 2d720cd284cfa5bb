import { CERTIFICATE, PRIVATE_KEY } from "../../objectstorage/certificate.ts";
import { json } from "./interactions.ts";
import type { Interaction } from "./interactions.ts";
import { isObject } from "./references.ts";
import type { Request, Session } from "./session.ts";

/** The request as the simulator gets it: with its IDs and addresses, and its own regions for those that it does not have. */
export function requestOf(session: Session, interaction: Interaction): Request {
  const { ids } = session;
  const { method, query, filter } = interaction;
  return {
    method,
    path: withRegions(
      session,
      withAddress(session, interaction, ids.inPath(interaction.path.replace(/^\/v4(beta)?/, ""))),
    ),
    query: withinCatalog(query),
    filter: filter === null ? null : withRegions(session, JSON.stringify(ids.inValue(json(filter)))),
    body: bodyOf(session, interaction),
  };
}

/** A recorded catalog can be longer than the simulator's. */
function withinCatalog(query: string): string {
  return query.replace(/\bpage=([2-9]|\d\d+)\b/, "page=1");
}

function bodyOf(session: Session, interaction: Interaction): string {
  const value = session.ids.inValue(json(interaction.body));
  if (!isObject(value)) return interaction.body;
  // Recordings contain no PEM blocks.
  if (value["certificate"] === "PEM\n") return JSON.stringify({ certificate: CERTIFICATE, private_key: PRIVATE_KEY });
  return withRegions(session, JSON.stringify(withAddresses(session, interaction, value)));
}

/** Regions and beta programs that are younger than the simulator's catalogs stand for those that it has. */
function withRegions({ simulator }: Session, text: string): string {
  const own = new Set(simulator.control.rows("region", "").map(({ id }) => id));
  return regions(own, text)
    .replace(/\b[a-z0-9_]+_beta\b/, "fast-disks")
    .replaceAll("linode/alpine3.17", "linode/alpine3.19");
}

function regions(own: ReadonlySet<unknown>, text: string): string {
  return text.replaceAll(/\b(?:pl-labkrk-2|no-osl-1|[a-z]{2}-[a-z]{3}(?:-\d)?)\b/g, (name) => {
    if (own.has(name) || own.has(name.replace(/-\d$/, ""))) return name;
    return /^[a-z]{2}-[a-z]{3,6}(-\d)?$/.test(name) && REGION_LIKE.has(name.split("-")[0] ?? "") ? "us-ord" : name;
  });
}

const REGION_LIKE = new Set("us ca br gb eu fr nl se es it de no pl ap au jp in id sg".split(" "));

/** Replaces the address in a path: recorded addresses are all alike. */
function withAddress(session: Session, { status, answer }: Interaction, path: string): string {
  const { addresses, ids } = session;
  if (path.startsWith("/networking/ipv6/ranges/"))
    return `/networking/ipv6/ranges/${encodeURIComponent(bare(addresses.range))}`;
  if (!path.startsWith("/networking/ips/192.0.2.")) return path;
  const row = json(answer);
  const instance = isObject(row) ? row["linode_id"] : undefined;
  const own = typeof instance === "number" ? (addresses.assigned ?? addresses.first.get(ids.of(instance))) : undefined;
  return `/networking/ips/${(status === 200 ? own : undefined) ?? addresses.last ?? "192.0.2.0"}`;
}

function withAddresses(
  session: Session,
  { operation }: Interaction,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const { addresses } = session;
  const named = (text: string): string => {
    if (text.startsWith("1234::"))
      return addresses.range === undefined ? text : text.includes("/") ? addresses.range : bare(addresses.range);
    return text === "192.0.2.0" ? (addresses.last ?? text) : text;
  };
  switch (operation) {
    case "POST /networking/ips/assign":
      return {
        ...body,
        assignments: (body["assignments"] as Assignment[]).map(({ address, linode_id }) => ({
          address: named(address),
          linode_id,
        })),
      };
    case "POST /networking/ips/share": {
      const others = [...addresses.first].filter(([id]) => id !== String(body["linode_id"]));
      return {
        ...body,
        ips: (body["ips"] as string[]).map((each) =>
          each === "192.0.2.0" ? (others.at(-1)?.[1] ?? each) : named(each),
        ),
      };
    }
    case "POST /compute/instances":
      return Array.isArray(body["ipv4"]) ? { ...body, ipv4: (body["ipv4"] as string[]).map(named) } : body;
    case "POST /tags":
      return Array.isArray(body["reserved_ipv4_addresses"])
        ? { ...body, reserved_ipv4_addresses: (body["reserved_ipv4_addresses"] as string[]).map(named) }
        : body;
    case "PUT /networking/ips/{address}":
      return typeof body["rdns"] === "string" && body["rdns"].endsWith(".nip.io")
        ? { ...body, rdns: `${addresses.last ?? [...addresses.first.values()][0] ?? ""}.nip.io` }
        : body;
    default:
      return body;
  }
}

interface Assignment {
  readonly address: string;
  readonly linode_id: number;
}

function bare(range: string | undefined): string {
  return (range ?? "1234::5678").replace(/\/\d+$/, "");
}
