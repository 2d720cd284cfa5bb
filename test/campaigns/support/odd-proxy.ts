/** Stands between operator and cloud, and shows what is answered in odd forms: of each answer and each of its rows one at a time. */
import type { IncomingMessage } from "node:http";
import { buffer, json } from "node:stream/consumers";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { mutationsOf } from "../../core/read/odd-rows.ts";
import { forward, passOn, startCloudProxy } from "./cloud-proxy.ts";
import type { CloudProxy, Exchange } from "./cloud-proxy.ts";

export interface Oddness {
  /** 0 up to 1: which of the odd forms of each row, and of each answer that is no list. */
  share: number;
  /** Also in what answers a PUT. */
  answers: boolean;
}

export interface OddProxy extends CloudProxy {
  /** What is shown from now on; undefined: all as it is. */
  show: (oddness: Oddness | undefined) => void;
  /** What is odd since then, by the path below the version segment. */
  shown: () => ReadonlyMap<string, string>;
}

/** Starts it on a free port of loopback; `target` is the URL of the cloud. */
export async function startOddProxy(target: string): Promise<OddProxy> {
  let present: Oddness | undefined;
  const shown = new Map<string, string>();

  const oddOf = (object: JsonObject, path: string): JsonObject => {
    const odd = mutationsOf(object);
    const one = present && odd[Math.floor(present.share * odd.length)];
    if (one) shown.set(path, one.name);
    return one?.row ?? object;
  };
  const retold = (path: string, body: Json): Json => {
    if (!isObject(body)) return body;
    if (!Array.isArray(body["data"])) return oddOf(body, path);
    return { ...body, data: body["data"].map((row) => (isObject(row) ? oddOf(row, path) : row)) };
  };
  const serve = async (exchange: Exchange): Promise<void> => {
    const { from, to } = exchange;
    const answer = await forward(exchange, await buffer(from));
    const isTold = from.method === "GET" || (from.method === "PUT" && present?.answers === true);
    if (!isTold || !isJson(answer)) return passOn(answer, to);
    const [path = ""] = (from.url ?? "").replace(/^\/v4(beta)?/, "").split("?");
    const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
    const text = JSON.stringify(retold(path, (await json(answer)) as Json));
    to.writeHead(200, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
  };
  return {
    ...(await startCloudProxy(target, serve)),
    show(oddness) {
      present = oddness;
      shown.clear();
    },
    shown: () => shown,
  };
}

function isJson({ statusCode, headers }: IncomingMessage): boolean {
  const { "content-type": type = "", "content-encoding": encoding } = headers;
  return statusCode === 200 && type.startsWith("application/json") && encoding === undefined;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
