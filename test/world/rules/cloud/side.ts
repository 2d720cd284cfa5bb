/** The cloud as the rules ask it: the world's and the simulator, by requests alone. */
import { request } from "undici";
import type { Dispatcher } from "undici";
import type { JsonObject } from "../../../../src/api/types.ts";

/** Ada and Bob are users of one account, Cleo is one of another. */
export type Who = "ada" | "bob" | "cleo";

/** What goes wrong with the next request of a method below a path. */
export type RuleFault =
  | "lostBefore"
  | "lostAfter"
  | "lateApply"
  | "slow"
  | "slowApply"
  | "html502"
  | "notFound"
  | "empty"
  | "tooMany"
  | "unauthorized";

/** How late whatever is late is. */
export const lateMs = 5_000;

export interface Answer {
  /** Undefined: none came. */
  status: number | undefined;
  body: JsonObject;
  /** The `Date` header as epoch milliseconds. */
  dateMs: number;
  contentType: string;
}

export interface CloudSide {
  ask: (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: JsonObject, who?: Who) => Promise<Answer>;
  advance: (ms: number) => Promise<void>;
  fault: (kind: RuleFault, method: string, path: string) => void;
  /** Until a request that a fault holds back has come to the cloud. */
  held: () => Promise<void>;
  /** Lists leave out rows younger than that. */
  lagLists: (seconds: number) => void;
  /** The `Date` header is so far ahead of `created`. */
  aheadDate: (seconds: number) => void;
  /** The id of a row that is gone is the next one's. */
  giveAgain: (path: string, id: number) => void;
  /** Behind the clients' back. */
  change: (path: string, id: number, fields: JsonObject) => void;
  remove: (path: string, id: number) => void;
  /** Ada becomes a restricted user whom no grant lets see this row. */
  withdraw: (path: string, id: number) => void;
}

/** Sends requests as they are: nothing is repeated. */
export function asking(baseUrl: string, tokens: Record<Who, string>, dispatcher?: Dispatcher): CloudSide["ask"] {
  return async (method, path, body, who = "ada") => {
    try {
      const answer = await request(`${baseUrl}/v4${path}`, {
        method,
        headers: { authorization: `Bearer ${tokens[who]}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
        ...(dispatcher && { dispatcher }),
      });
      const contentType = String(answer.headers["content-type"] ?? "").split(";")[0] ?? "";
      const text = await answer.body.text();
      const parsed = contentType === "application/json" ? (JSON.parse(text) as JsonObject) : {};
      const dateMs = Date.parse(String(answer.headers["date"]));
      return { status: answer.statusCode, body: parsed, dateMs, contentType };
    } catch {
      return { status: undefined, body: {}, dateMs: Number.NaN, contentType: "" };
    }
  };
}

export const keys = "/profile/sshkeys";
export const firewalls = "/networking/firewalls";
export const instances = "/compute/instances";
export const domains = "/domains";
export const buckets = "/object-storage/buckets";
export const betas = "/account/betas";
export const databases = "/databases/mysql/instances";

const place = { region: "us-east", type: "g6-standard-1" };
const image = { image: "compute/debian12", root_pass: "correct horse battery" };

/** Something that each collection takes. */
export const bodies: Record<string, JsonObject> = {
  [keys]: {
    label: "laptop",
    ssh_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh",
  },
  [firewalls]: { label: "wall", rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" }, tags: ["tagged"] },
  [instances]: { ...place, ...image, label: "web", tags: ["tagged"] },
  [domains]: { domain: "a.test", type: "master", soa_email: "ada@a.test", tags: ["tagged"] },
  [buckets]: { label: "media", cluster: "us-east-1" },
  [databases]: { ...place, label: "shop", engine: "mysql/8.0.30" },
};

/** A new row; its id. */
export async function made({ ask }: CloudSide, path: string, more: JsonObject = {}, who?: Who): Promise<number> {
  const { status, body } = await ask("POST", path, { ...bodies[path], ...more }, who);
  if (status !== 200) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return Number(body["id"]);
}

/** A field of each row in a list. */
export async function listed({ ask }: CloudSide, path: string, field = "label", who?: Who): Promise<unknown> {
  const { status, body } = await ask("GET", path, undefined, who);
  return status === 200 ? (body["data"] as JsonObject[]).map((row) => row[field]) : status;
}

/** Status of an answer, and of a refusal the fields that it names. */
export function verdict({ status, body }: Answer): string {
  const errors = (body["errors"] ?? []) as { field?: string | null }[];
  return [status, ...errors.map(({ field }) => field ?? "-")].join(" ");
}
