/** Checks the account of the cloud with its token: reachability, token, brand word, clock, and scopes. Sends only reads. */
import { HttpError } from "../../api/errors.ts";
import { knownWords } from "../../core/account/brand-word.ts";
import { reasonDocs } from "../../core/kind/reasons.ts";
import { counted } from "../../kinds/account/inventory-rows.ts";
import { openAccount } from "../account/open.ts";
import type { Account } from "../account/open.ts";
import { textOf } from "../failure.ts";
import type { Session } from "../session.ts";
import { ok, unknown, wrong } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** A larger difference matters for signed URLs and certificates, milliseconds. */
const mostSkewMs = 60_000;

/** `name`: the account as the user calls it. */
export async function checkCloud(session: Session, account: Account, name: string): Promise<Finding[]> {
  const token = await tokenFinding(account, name);
  if (token.state !== "ok") return [token];
  return [
    token,
    clockFinding(session, account),
    await brandFinding(session, account),
    ...(await scopeFindings(session, account, name)),
  ];
}

async function tokenFinding({ reader }: Account, name: string): Promise<Finding> {
  try {
    const { username = "" } = ((await reader.get("/profile")) ?? {}) as { username?: string };
    return ok("token", `the cloud API accepts the token of ${name} (user ${username})`);
  } catch (error) {
    if (error instanceof HttpError && error.status === 401)
      return wrong("token", `the cloud API rejects the token of ${name}`, reasonDocs.TokenRejected.cure);
    const cure = "Check the network, a proxy (HTTPS_PROXY), and the URL of the endpoint";
    return wrong("cloud", `the cloud API of ${name} does not answer: ${textOf(error)}`, cure);
  }
}

function clockFinding({ clock }: Session, { serverTime }: Account): Finding {
  const skew = Math.round((clock.date().getTime() - serverTime().getTime()) / 1000);
  if (Math.abs(skew) * 1000 <= mostSkewMs) return ok("clock", "the clock agrees with the clock of the cloud");
  const text = `the clock of this machine differs by ${Math.abs(skew)} s from the clock of the cloud`;
  return wrong("clock", text, "Synchronise the clock with a time server (NTP)");
}

async function brandFinding(session: Session, { reader, brandWord }: Account): Promise<Finding> {
  const check = "brand word";
  if (await isServed(reader)) return ok(check, `the cloud API serves the brand word ${brandWord}`);
  for (const word of knownWords.filter((one) => one !== brandWord)) {
    const other = await openAccount({ ...session, flags: { ...session.flags, brandWord: word } });
    const isRight = await isServed(other.reader);
    await other.close();
    if (!isRight) continue;
    const cure = `Set the brand word ${word}: brandWord in the values of the chart, or --brand-word`;
    return wrong(check, `the cloud API does not serve ${brandWord}, but ${word}`, cure);
  }
  return wrong(
    check,
    `the cloud API does not serve ${brandWord}`,
    "Set the brand word of the service: brandWord in the values of the chart",
  );
}

async function isServed(reader: Account["reader"]): Promise<boolean> {
  try {
    await reader.get("/compute/types?page_size=25");
    return true;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}

/** Reads one page of each list, and the events, which prove outcomes. */
async function scopeFindings(session: Session, { reader, scopes }: Account, name: string): Promise<Finding[]> {
  const paths = Object.entries(counted).map(([list, { path, beta = false }]) => ({ list, path, beta }));
  const all = [...paths, { list: "events", path: "/account/events", beta: false }];
  const refused: string[] = [];
  const unread: string[] = [];
  const read = async ({ list, path, beta }: (typeof all)[number]): Promise<void> => {
    try {
      await reader.get(`${path}${path.includes("?") ? "&" : "?"}page_size=25`, { beta });
    } catch (error) {
      const isRefused = error instanceof HttpError && (error.status === 401 || error.status === 403);
      (isRefused ? refused : unread).push(list);
    }
  };
  await Promise.all(all.map(read));
  session.terminal.progress("");
  const held = scopes().toSorted().join(", ") || "not shown";
  const found = [
    ...(refused.length > 0
      ? [
          wrong(
            "scopes",
            `the token of ${name} may not read: ${refused.toSorted().join(", ")} (scopes: ${held})`,
            reasonDocs.Forbidden.cure,
          ),
        ]
      : [ok("scopes", `the token of ${name} may read all lists (scopes: ${held})`)]),
    ...(unread.length > 0 ? [unknown("scopes", `not readable now: ${unread.toSorted().join(", ")}`)] : []),
  ];
  return [...found, ...writeFinding(scopes(), name)];
}

/** A token that may only read is right for Observe and for a read-only operator. */
function writeFinding(scopes: string[], name: string): Finding[] {
  const readOnly = scopes.filter((one) => one.endsWith(":read_only")).toSorted();
  if (readOnly.length === 0) return [];
  return [
    unknown(
      "scopes",
      `the token of ${name} may only read ${readOnly.join(", ")}, so the operator can only observe there`,
    ),
  ];
}
