/** One step of an explanation. */
import type { KubeObject } from "../../cluster/types.ts";
import { reasonDocs } from "../../core/kind/reasons.ts";
import type { Condition } from "../../core/kind/status-schema.ts";
import { isReason, titleOf } from "../objects.ts";

export interface Link {
  /** The subject, such as `Domain shop/zone` or `Secret shop/cloud-token`. */
  subject: string;
  /** Reason of a condition; undefined for a subject without conditions. */
  reason?: string;
  /** The problem, as a sentence about the subject. */
  message: string;
  cure: string;
  /** Commands that carry out the cure. A word in angle brackets is for the user to fill in. */
  commands: string[];
  /** The object, for its events. */
  object?: KubeObject;
  /** The causes. Empty for a root cause. */
  because: Link[];
}

/** Returns the link of a condition, without causes and commands. */
export function linkOf(object: KubeObject, { reason, message }: Pick<Condition, "reason" | "message">): Link {
  const cure = isReason(reason) ? reasonDocs[reason].cure : "Read the message.";
  return { subject: titleOf(object), reason, message, cure, commands: [], object, because: [] };
}

/** Returns the root causes below a link, each once. */
export function rootsOf(link: Link): Link[] {
  if (link.because.length === 0) return [link];
  const roots = link.because.flatMap(rootsOf);
  return roots.filter((one, at) => roots.findIndex((other) => isSameRoot(one, other)) === at);
}

/** Returns a link and all links below it. */
export function allOf(link: Link): Link[] {
  return [link, ...link.because.flatMap(allOf)];
}

function isSameRoot(one: Link, other: Link): boolean {
  return one.subject === other.subject && one.message === other.message;
}
