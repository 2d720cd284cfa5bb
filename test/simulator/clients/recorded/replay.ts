import { startSimulator } from "../../../../src/simulator/simulator.ts";
import { createMovedClock } from "../../../support/clock.ts";
import { isCatalog, resourceOf } from "./catalogs.ts";
import { differences } from "./comparison.ts";
import { json } from "./interactions.ts";
import type { Interaction, Recording } from "./interactions.ts";
import { isObject } from "./references.ts";
import { requestOf } from "./request.ts";
import { openSession } from "./session.ts";
import type { Request, Response, Session } from "./session.ts";
import { addValue, emptyShape } from "./shapes.ts";
import type { Shape } from "./shapes.ts";
import { after, before, reach } from "./unrecorded.ts";

/** How one interaction compared. */
export interface Comparison {
  readonly recording: string;
  readonly interaction: Interaction;
  readonly differences: readonly string[];
}

/** Replays every recording, each against a simulator in its initial state, and compares the responses. */
export async function replay(recordings: readonly Recording[], brandWord: string): Promise<Comparison[]> {
  const known = knownShapes(recordings);
  const all: Comparison[] = [];
  for (const recording of recordings) all.push(...(await replayOne(recording, known, brandWord)));
  return all;
}

/** By resource, the shape of all recorded rows. */
type Known = ReadonlyMap<string, Shape>;

function knownShapes(recordings: readonly Recording[]): Known {
  const known = new Map<string, Shape>();
  for (const interaction of recordings.flatMap(({ interactions }) => interactions)) {
    if (interaction.status !== 200) continue;
    const shape = known.get(resourceOf(interaction)) ?? emptyShape();
    known.set(resourceOf(interaction), addValue(shape, comparable(json(interaction.answer))));
  }
  return known;
}

async function replayOne({ name, interactions }: Recording, known: Known, brandWord: string): Promise<Comparison[]> {
  const simulator = await startSimulator({ brandWord, clock: createMovedClock() });
  const session = openSession(simulator);
  const compared: Comparison[] = [];
  try {
    for (const interaction of interactions) {
      const found = await replayInteraction(session, interaction, known).catch((error: Error) => [
        `the replay cannot prepare the request: ${error.message}`,
      ]);
      compared.push({ recording: name, interaction, differences: found });
    }
    return compared;
  } finally {
    await simulator.close();
  }
}

async function replayInteraction(session: Session, interaction: Interaction, known: Known): Promise<string[]> {
  await before(session, interaction);
  const request = requestOf(session, interaction);
  const response = await settled(session, interaction, request);
  const recorded = json(interaction.answer);
  if (response.status === interaction.status) session.ids.learn(recorded, response.answer);
  await after(session, interaction, response.answer);
  return judged(interaction, response, known);
}

function judged(interaction: Interaction, { status, answer }: Response, known: Known): string[] {
  if (status !== interaction.status)
    return [`status ${status}, recorded ${interaction.status}${status >= 400 ? `: ${errorsOf(answer)}` : ""}`];
  const [recorded, simulated] = [json(interaction.answer), answer].map((value) =>
    addValue(emptyShape(), comparable(value)),
  );
  if (!recorded || !simulated || interaction.answer === "") return [];
  const resource = known.get(resourceOf(interaction)) ?? emptyShape();
  return differences(recorded, simulated, { known: resource, catalog: isCatalog(interaction) });
}

/** Rows and pages compare alike: a row is a page with one row. Bodies of errors stay. */
function comparable(answer: unknown): unknown {
  if (!isObject(answer) || Array.isArray(answer["errors"])) return answer;
  // The response to an upload wraps the row.
  if (isObject(answer["image"]) && "upload_to" in answer) return comparable(answer["image"]);
  return Array.isArray(answer["data"]) && "results" in answer
    ? answer
    : { data: [answer], page: 1, pages: 1, results: 1 };
}

/** Sends the request, and again while the simulator's clock brings the response nearer to the recorded one. */
async function settled(session: Session, interaction: Interaction, request: Request, attempts = 3): Promise<Response> {
  let response = await session.call(request);
  for (let waited = 0; waited < LONGEST_MS && isOnItsWay(interaction, response);) {
    const step = waited < 120_000 ? 1_000 : 15_000;
    session.simulator.control.clock.advance(step);
    waited += step;
    response = await session.call(request);
  }
  if (attempts === 0 || !(await reach(session, interaction, response))) return response;
  return settled(session, interaction, request, attempts - 1);
}

const LONGEST_MS = 3_600_000;

function isOnItsWay({ status, answer }: Interaction, response: Response): boolean {
  if (response.status === 400)
    return status === 200 && /busy|not (yet )?(active|ready)|provision/i.test(errorsOf(response.answer));
  if (response.status !== status) return false;
  const [recorded, simulated] = [statusesOf(json(answer)), statusesOf(response.answer)];
  if (isUnfinished(response.answer) && !isUnfinished(json(answer))) return true;
  if (lastBackup(response.answer) === null && typeof lastBackup(json(answer)) === "string") return true;
  return simulated.some((each) => TRANSITIONAL.has(each) && !recorded.includes(each));
}

/** The time of the last backup that an instance shows. */
function lastBackup(answer: unknown): unknown {
  const backups = isObject(answer) ? answer["backups"] : undefined;
  return isObject(backups) ? backups["last_successful"] : undefined;
}

/** Returns whether the list of backups has a snapshot that is being made. */
function isUnfinished(answer: unknown): boolean {
  const snapshot = isObject(answer) ? answer["snapshot"] : undefined;
  return isObject(snapshot) && snapshot["in_progress"] !== null;
}

/** The statuses of a response's rows. */
export function statusesOf(answer: unknown): string[] {
  if (!isObject(answer)) return [];
  const rows = Array.isArray(answer["data"]) ? (answer["data"] as unknown[]) : [answer];
  return rows.map((row) => (isObject(row) ? String(row["status"]) : ""));
}

const TRANSITIONAL = new Set(
  (
    "provisioning booting rebooting shutting_down cloning resizing migrating rebuilding restoring deleting creating " +
    "updating resuming backing_up pending running needsPostProcessing"
  )
    .split(" ")
    .concat("not ready"),
);

function errorsOf(answer: unknown): string {
  const errors =
    isObject(answer) && Array.isArray(answer["errors"])
      ? (answer["errors"] as { field?: string; reason: string }[])
      : [];
  return errors.map(({ field, reason }) => (field === undefined ? reason : `${field}: ${reason}`)).join("; ");
}
