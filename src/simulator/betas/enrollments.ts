import * as z from "zod";
import { ACCOUNTS } from "../server/auth/identity.ts";
import { invalid, notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { isActive } from "./betas.ts";
import { BETAS, ENROLLMENTS } from "./tables.ts";
import type { BetaRow, EnrollmentRow } from "./tables.ts";

const path = "/account/betas";

/** Serves the account's enrollments to unrestricted users (part 2 section 4.9). */
export const enrollmentOperations = [
  operation({
    method: "GET",
    path,
    summary: "List enrolled beta programs, active or not",
    scopes: ["account:read_only"],
    unrestricted: true,
    paged: { filterable: ["label", "greenlight_only", "started", "ended", "enrolled"] },
    handler: ({ world, account }) =>
      rowList(world.store.all(ENROLLMENTS, account), (enrollment) => present(world, enrollment)),
  }),
  operation({
    method: "POST",
    path,
    summary: "Enroll in a beta program",
    scopes: ["account:read_write"],
    unrestricted: true,
    body: z.object({ id: z.string() }),
    handler(context) {
      const { world, account, body, now } = context;
      const program = world.store.get(BETAS, SHARED, body.id);
      if (!program) throw invalid("id", "There is no such beta program");
      requirePlace(context, program);
      world.store.put(ENROLLMENTS, account, { id: program.id, enrolled: now });
      return {};
    },
  }),
  operation({
    method: "GET",
    path: `${path}/{betaId}`,
    summary: "View an enrolled beta program",
    scopes: ["account:read_only"],
    unrestricted: true,
    params: { betaId: "text" },
    handler: (context) => present(context.world, rowOf(context, ENROLLMENTS, context.params["betaId"])),
  }),
];

function requirePlace({ world, account, now }: Context, program: Readonly<BetaRow>): void {
  if (!isActive(program, now)) throw invalid("id", "The beta program is not active");
  if (world.store.get(ENROLLMENTS, account, program.id)) throw invalid("id", "The account is enrolled already");
  if (program.greenlight_only && !world.store.get(ACCOUNTS, SHARED, account)?.greenlight)
    throw invalid("id", "The beta program is for accounts of the early-access program only");
  const accounts = world.store.accounts(ENROLLMENTS);
  const taken = accounts.filter((other) => world.store.get(ENROLLMENTS, other, program.id)).length;
  if (program.places !== null && taken >= program.places)
    throw invalid("id", "The maximum number of enrollments is reached");
}

function present(world: World, { id, enrolled }: EnrollmentRow): Record<string, unknown> {
  const program = world.store.get(BETAS, SHARED, id);
  if (!program) throw notFound();
  const { label, description, started, ended } = program;
  return { id, label, description, started, ended, enrolled: timestamp(enrolled) };
}
