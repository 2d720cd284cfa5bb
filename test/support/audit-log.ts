import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";

/** One request that the API server answered, from its audit log. */
export interface AuditEntry {
  verb: string;
  user: string;
  userAgent: string;
  /** Asked for by a dry run, which stores nothing. */
  dryRun: boolean;
  /** Plural name, with `/status` and the like where it was a subresource. */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  code: number;
  /** Whether the rights of the user allow it; a request can be answered with 403 for other reasons. */
  allowed: boolean;
  at: Date;
  /** When the request came: a watch has two entries, and the one of its end is written whenever that is. */
  received: Date;
}

type Follower = (since?: Date) => AuditEntry[];
const followers = new Map<string, Follower>();

/**
 * Answers what was written to an audit log since it was first asked for in this test file. Each line is read once: the
 * log of a whole run is long, and tests ask often.
 */
export function followAuditLog(path: string | undefined): Follower {
  if (path === undefined)
    return () => {
      throw new Error("this control plane was started without an audit log");
    };
  const follower = followers.get(path) ?? follow(path);
  followers.set(path, follower);
  return follower;
}

/** Forgets what was read so far. Later followers begin at the end of the log. */
export function forgetAuditLogs(): void {
  followers.clear();
}

function follow(path: string): Follower {
  let offset = lastLineBreak(path);
  const entries: AuditEntry[] = [];
  return (since = new Date(0)) => {
    const fresh = readFrom(path, offset);
    // What follows the last line break is a line that is still being written.
    const whole = fresh.subarray(0, fresh.lastIndexOf("\n") + 1);
    offset += whole.length;
    for (const line of whole.toString().split("\n").slice(0, -1)) entries.push(entryOf(line));
    return entries.filter(({ received }) => received >= since);
  };
}

/** Where the lines end that are whole already. */
function lastLineBreak(path: string): number {
  const from = Math.max(0, sizeOf(path) - 65_536);
  return from + readFrom(path, from).lastIndexOf("\n") + 1;
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function readFrom(path: string, offset: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, sizeOf(path) - offset));
  if (buffer.length === 0) return buffer;
  const file = openSync(path, "r");
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(file);
  }
}

interface RawEntry {
  verb: string;
  requestURI: string;
  user: { username: string };
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
  annotations?: Record<string, string>;
  stageTimestamp: string;
  requestReceivedTimestamp: string;
}

function entryOf(line: string): AuditEntry {
  const raw = JSON.parse(line) as RawEntry;
  const { resource = "", subresource, namespace, name } = raw.objectRef ?? {};
  return {
    verb: raw.verb,
    dryRun: raw.requestURI.includes("dryRun="),
    user: raw.user.username,
    userAgent: raw.userAgent ?? "",
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: raw.responseStatus?.code ?? 0,
    allowed: raw.annotations?.["authorization.k8s.io/decision"] === "allow",
    at: new Date(raw.stageTimestamp),
    received: new Date(raw.requestReceivedTimestamp),
  };
}
