/** What the functions of a kind are handed, and the entries of its tables. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Identity } from "./account-spec.ts";
import type { Call, Detail } from "./call.ts";
import type { Reach } from "./reach.ts";
import type { Operation, Run } from "./status-schema.ts";
import type { ResolvedReferences } from "./reference.ts";

/** What a kind knows of one object before anything was read of the cloud. */
export interface Wanted<S, R> {
  name: string;
  namespace: string;
  spec: S;
  refs: ResolvedReferences<R>;
}

/** The object that manages a cloud object. */
export interface Manager {
  name: string;
  /** It is in the same namespace. */
  isNear: boolean;
  spec: Record<string, unknown>;
}

/** …and of the cloud object that belongs to it. */
export interface Live<S, R, W> extends Wanted<S, R> {
  id: string;
  wire: W;
  /** Path of its list, which is known also where what the spec refers to is gone. */
  list: string;
  /** Values last applied of disruptive fields; undefined for an adopted object and before the first success. */
  applied: Record<string, string> | undefined;
  /** It was adopted, not created by us: no generated Secret belongs to it. */
  adopted?: boolean;
  /** What `details` asked for, where it was read: of what runs once, always. */
  details?: Record<string, Json | undefined>;
  /** Of what runs once: the run, once it was begun. */
  run?: Run;
  /** The last disruptive operation of each action. */
  operations: Operation[];
  /** Scopes of the token, `*` is everything: each list that the cloud API has shown, since one of them may be wrong. */
  scopesHeard: () => string[][];
  /** Now, by the clock of the cloud API. */
  now: () => Date;
  /** What this kind's own part of the status says so far. */
  reported: () => JsonObject;
  /** What calls that were carried out since this process began have left for the report, oldest first. */
  done: JsonObject[];
  /** Whose account it is, as the CloudAccount has pinned it. */
  account: Identity;
  /** Which other object manages the cloud object with this id. */
  managerOf: (collection: string, id: string) => Manager | undefined;
  /** When what the Secret holds expires, RFC 3339, where it does. */
  expiresAt?: string;
  /** Keyed, so that it may be recorded: shows whether a secret value has changed, and nothing of the value. */
  digest: (value: string) => string;
}

/** A setting of the operator that permits what is too dangerous to be permitted by an object alone. */
export type OperatorSetting = "allowAccountActions";

/** A spec, and what it refers to as far as that is resolved. */
export interface Given {
  spec: Record<string, unknown>;
  refs: Record<string, unknown>;
}

/**
 * The field of the spec that a word of a body follows from, such as `source.backup`; of several, the one that a spec has. A
 * function finds it itself, by what follows the word (`[1]`); undefined where it cannot.
 */
export type Says = string | string[] | ((given: Given, rest: string[]) => string | undefined);

/** A field of the API's body: what the spec wants of it, and what a row shows. */
export interface Field<S, R, W> {
  /** In the API's normal form; undefined: the spec does not say, so it is not managed. */
  want: (wanted: Wanted<S, R>) => Json | undefined;
  /** In the same normal form; left out for what the API does not return. `wanted`: what it is compared with, where one thing has several names. */
  have?: (wire: W, wanted?: Json) => Json | undefined;
  /** The field of the spec that it follows from, such as `source.backup`, where that has another name; of several, the one that a spec has. */
  says?: string | string[];
  /** A value of it in the words of the spec, where more than names differ. */
  said?: (value: Json | undefined) => Json | undefined;
  /**
   * Returns the entries of the list that the operator adds for references. The record contains the entries. When the spec does
   * not say the field any more, the operator removes the recorded entries, because another customer can get such an address.
   */
  adds?: (wanted: Wanted<S, R>) => string[];
  /** It names the thing: something that is there already with these values is a conflict. */
  key?: boolean;
  /** The normal form of a text, by which the operator recognises the result of a request; see normal.ts. By default `folded`. */
  normal?: (text: string, wanted?: Wanted<S, R>) => string;
  /** The service compares it without regard to case, and answers a creation with what exists in another case. */
  caseless?: boolean;
  /** It cannot change after the creation; a creation whose response was lost is recognised by it. */
  fixed?: boolean;
  /** It is sent only then: with the creation, or with updates; with both if not given. */
  on?: "create" | "update";
  /** Its value is shown to nobody. */
  sensitive?: boolean;
  /** A change of it disrupts: it runs only when the spec differs from what was last applied. */
  disrupts?: boolean;
  /** A change of it asks for a new cloud object; the former one is deleted once the Secret holds what is shown of the new one. */
  replaces?: boolean;
}

/** A secondary endpoint: compare, then set. */
export interface Step<S, R, W> {
  /** How far its calls reach in the account. */
  reach: Reach;
  /** The fields of the spec that it compares. */
  says: Extract<keyof S, string>[];
  /** Fields of the creation that ask for the same: what is read right after it may not show them yet. */
  creation?: string[];
  read?: (live: Live<S, R, W>) => Detail | undefined;
  /**
   * What it reads guards access or money: it is compared with the sweep, not with the slow pass alone. `told`: the account's
   * events tell of each change, so it is swept only where they cannot be read.
   */
  guards?: "swept" | "told";
  /** …and what is read of it where it is only observed, whatever the spec says; as `read` if not given. */
  observes?: (live: Live<S, R, W>) => Detail;
  /** What the cloud has of it, and what is wanted, both in the words of the spec and in one normal form; the spec itself if not given. */
  words?: (live: Live<S, R, W>, current: Json | undefined) => { cloud: JsonObject; spec?: JsonObject };
  /** What is recorded from now on of what the kind has added elsewhere; see `additions` of a kind. */
  noted?: (live: Live<S, R, W>, current: Json | undefined) => Record<string, string>;
  /**
   * Only one cloud object of the kind can have a cloud object of the reference at a time, such as the instance of a firewall. The
   * calls of the step `take` or `give` these. `holds`: returns the IDs that the cloud object has.
   */
  exclusive?: { reference: string; holds: (current: Json | undefined) => string[] };
  /** The calls that bring what is there to what is wanted, in order; none when it is so already. */
  calls: (live: Live<S, R, W>, current: Json | undefined) => Call[];
  /** What is there of what the step sets, in normal form; for a setting that is undone. */
  have?: (current: Json | undefined) => Json;
}

/** Values of a Secret that expire. */
export interface Issued<S, R, W> {
  /** The keys of what is issued. */
  keys: string[];
  request: (live: Live<S, R, W>) => Call;
  values: (answer: Json) => Record<string, string>;
  lifeMs: (live: Live<S, R, W>) => number;
}

/** A Secret that the operator keeps for the user: connection data. */
export interface PublishedSecret<S, R, W> {
  name: (wanted: Wanted<S, R>) => string;
  /** Whether there is something to publish, before the creation and of a row; always if not given. */
  when?: (of: { spec: S; wire?: W }) => boolean;
  /**
   * What only the response to the creation shows: key of the Secret → field of the response. What the Secret does not
   * hold nobody knows any more, so the cloud object is replaced.
   */
  ofCreation?: Record<string, string>;
  /** What a request answers that changes nothing in the cloud, and that loses its value in time: it is sent again before. */
  issued?: Issued<S, R, W>;
  /** What to read, by name. */
  reads?: (live: Live<S, R, W>) => Record<string, Detail>;
  data: (live: Live<S, R, W>, answers: Record<string, JsonObject>) => Record<string, string>;
}
