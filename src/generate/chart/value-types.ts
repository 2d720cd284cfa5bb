import * as z from "zod";

/** A value that is absent until somebody sets it. */
export const nothing = null;

/** A group of values with a heading; its members have the defaults. */
export function section<Shape extends z.ZodRawShape>(doc: string, shape: Shape) {
  return z.strictObject(shape).describe(doc).meta({ section: true });
}

/** A group of values that others may add to. */
export function looseSection<Shape extends z.ZodRawShape>(doc: string, shape: Shape) {
  return z.looseObject(shape).describe(doc).meta({ section: true });
}

/** A name as Kubernetes takes it for most objects. */
export const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

export const text = (doc: string) => z.string().default("").describe(doc);

/** Labels, annotations and the like. */
export const map = (doc: string) => z.record(z.string(), z.string()).default({}).describe(doc);

/** A piece of a Kubernetes manifest that is passed on as it is. */
export const manifest = (doc: string, fallback: Record<string, unknown> = {}) =>
  z.looseObject({}).default(fallback).describe(doc);

/** Pieces of a manifest that are passed on as they are. */
export const manifests = (doc: string) => z.array(z.looseObject({})).default([]).describe(doc);

/** A count of pods, or a percentage of them. */
export const podCount = (doc: string) =>
  z
    .union([z.number().int().min(0), z.string().regex(/^(100|[0-9]{1,2})%$/)])
    .nullable()
    .default(nothing)
    .describe(doc);

export function resources(requests: Record<string, string>, limits: Record<string, string>) {
  return manifest("Requests and limits.", { requests, limits });
}
