import * as z from "zod";

/** Default of a value that is absent until a user sets the value. */
export const nothing = null;

/** Describes a group of values with a heading. The members have the defaults. */
export function section<Shape extends z.ZodRawShape>(doc: string, shape: Shape) {
  return z.strictObject(shape).describe(doc).meta({ section: true });
}

/** Describes a group of values with additional members. */
export function looseSection<Shape extends z.ZodRawShape>(doc: string, shape: Shape) {
  return z.looseObject(shape).describe(doc).meta({ section: true });
}

/** A valid name of most Kubernetes objects. */
export const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

export const text = (doc: string) => z.string().default("").describe(doc);

/** Describes labels, annotations and similar maps. */
export const map = (doc: string) => z.record(z.string(), z.string()).default({}).describe(doc);

/** Describes a part of a Kubernetes manifest. The chart does not change the part. */
export const manifest = (doc: string, fallback: Record<string, unknown> = {}) =>
  z.looseObject({}).default(fallback).describe(doc);

/** Describes a list of parts of a manifest. The chart does not change the parts. */
export const manifests = (doc: string) => z.array(z.looseObject({})).default([]).describe(doc);

/** Describes a number or a percentage of pods. */
export const podCount = (doc: string) =>
  z
    .union([z.number().int().min(0), z.string().regex(/^(100|[0-9]{1,2})%$/)])
    .nullable()
    .default(nothing)
    .describe(doc);

export function resources(requests: Record<string, string>, limits: Record<string, string>) {
  return manifest("Resource requests and limits.", { requests, limits });
}
