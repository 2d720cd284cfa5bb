import { partOf } from "../server/http/byte-range.ts";
import { verifyPresigned } from "../server/http/presigned.ts";
import type { SignedRequest } from "../server/http/presigned.ts";
import type { World } from "../server/world.ts";
import { aclOf, isPublic } from "./acl.ts";
import { countOutbound, findBucket, objectOf, putObject, removeObject } from "./stored-objects.ts";
import type { Acl, BucketRow, ObjectRow } from "./tables.ts";

/** A request to the URL of an object, signed or unsigned. */
export interface ObjectRequest extends SignedRequest {
  /** `cluster/label`. */
  readonly bucket: string;
  readonly name: string;
  /** Header `Range`. `ifRange` is the header `If-Range`. */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly bytes: Buffer;
}

export interface ObjectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Owner of the bucket. */
  readonly account: string | null;
}

interface Found {
  readonly account: string;
  readonly bucket: Readonly<BucketRow>;
  readonly object: Readonly<ObjectRow> | undefined;
}

type Reply = Omit<ObjectAnswer, "account">;

/** Bytes. */
const LONGEST_NAME = 1024;

/** Serves one object if the signature or the ACL permits the request. Otherwise returns an error of the bucket protocol. */
export function serveObject(world: World, request: ObjectRequest): ObjectAnswer {
  const there = findBucket(world, request.bucket);
  if (!there) return { ...problem(404, "NoSuchBucket"), account: null };
  const fault = nameFault(request.name);
  if (fault) return { ...fault, account: null };
  const object = objectOf(world, there.account, there.bucket, request.name);
  const found = { ...there, object };
  const reply = refusal(world, request, found) ?? carryOut(world, request, found);
  const cors = there.bucket.cors_enabled ? { "Access-Control-Allow-Origin": "*" } : {};
  return { ...reply, headers: { ...reply.headers, ...cors }, account: there.account };
}

/** Returns an error for an empty name, because only the API serves the bucket, and for a name over 1024 bytes. */
function nameFault(name: string): Reply | undefined {
  if (name === "") return problem(405, "MethodNotAllowed", "Only objects are served here");
  return Buffer.byteLength(name) > LONGEST_NAME ? problem(400, "KeyTooLongError") : undefined;
}

function refusal(world: World, request: ObjectRequest, { bucket, object }: Found): Reply | undefined {
  if (request.query["signature"] === undefined)
    return mayAnybody(request.method, bucket.acl, aclOf(bucket, object)) ? undefined : denied();
  switch (verifyPresigned(world, request)) {
    case "valid":
      return undefined;
    case "expired":
      return denied("Request has expired");
    case "forged":
      return problem(403, "SignatureDoesNotMatch", "The method, path, content type or time is not what was signed");
  }
}

/** Returns true if an unsigned request is permitted. Reads depend on the object's ACL, writes on the bucket's ACL. */
function mayAnybody(method: string, ofBucket: Acl, ofObject: Acl): boolean {
  return method === "GET" || method === "HEAD" ? isPublic(ofObject, "READ") : isPublic(ofBucket, "WRITE");
}

function carryOut(world: World, request: ObjectRequest, { account, bucket, object }: Found): Reply {
  const { method, name, contentType = "binary/octet-stream", bytes } = request;
  switch (method) {
    case "PUT":
      return {
        status: 200,
        headers: tag(putObject(world, account, bucket, { name, contentType, bytes })),
        body: undefined,
      };
    case "DELETE":
      if (object) removeObject(world, account, object);
      return { status: 204, headers: {}, body: undefined };
    case "GET":
    case "HEAD":
      return read(world, request, account, object);
    default:
      return problem(405, "MethodNotAllowed");
  }
}

function read(world: World, request: ObjectRequest, account: string, object: Readonly<ObjectRow> | undefined): Reply {
  const content = object && world.blobs.get(object.digest);
  if (!content) return problem(404, "NoSuchKey");
  const headers = {
    ...tag(object),
    "Content-Type": object.content_type,
    "Content-Length": String(object.size),
    "Last-Modified": new Date(object.modified).toUTCString(),
    "Accept-Ranges": "bytes",
  };
  if (request.method === "HEAD") return { status: 200, headers, body: undefined };
  const isSame = request.ifRange === undefined || request.ifRange === tag(object)["ETag"];
  const part = isSame ? partOf(request.range, content.length) : "whole";
  if (part === "none")
    return problem(416, "InvalidRange", "InvalidRange", { "Content-Range": `bytes */${content.length}` });
  const body = part === "whole" ? content : content.subarray(part.first, part.last + 1);
  countOutbound(world, account, body.length);
  if (part === "whole") return { status: 200, headers, body };
  const range = {
    "Content-Length": String(body.length),
    "Content-Range": `bytes ${part.first}-${part.last}/${content.length}`,
  };
  return { status: 206, headers: { ...headers, ...range }, body };
}

function tag(object: Readonly<ObjectRow>): Record<string, string> {
  return { ETag: `"${object.etag}"` };
}

function denied(message = "Access Denied"): Reply {
  return problem(403, "AccessDenied", message);
}

function problem(status: number, code: string, message = code, headers: Record<string, string> = {}): Reply {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { ...headers, "Content-Type": "application/xml" }, body: Buffer.from(body) };
}
