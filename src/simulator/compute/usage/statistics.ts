import type { World } from "../../server/world.ts";
import { powerHistory } from "../actions/power-log.ts";
import type { InstanceRow } from "../tables.ts";

/** A time and a value: `[epoch milliseconds, value]` (not-shown section 3). */
export type Point = [at: number, value: number];

/** A time span in epoch milliseconds. Includes the start and excludes the end. */
export type Span = readonly [from: number, to: number];

const SLOT_MS = 300_000;

/** Minimum and maximum of each series for an idle web server. CPU in percent, IO in blocks/s, network in bit/s. */
const SERIES = {
  cpu: [1, 30],
  io: [5, 300],
  swap: [0, 2],
  "netv4.in": [20_000, 900_000],
  "netv4.out": [40_000, 2_000_000],
  "netv4.private_in": [0, 5000],
  "netv4.private_out": [0, 5000],
  "netv6.in": [500, 30_000],
  "netv6.out": [500, 40_000],
  "netv6.private_in": [0, 500],
  "netv6.private_out": [0, 500],
} as const;
type SeriesName = keyof typeof SERIES;

/**
 * Returns the statistics of an instance.
 * The values are generated but reproducible. They are 0 while the instance is off, absent before its creation, and
 * consistent with `transferOf`.
 */
export function statisticsOf(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  span: Span,
  stepMs: number = SLOT_MS,
): Record<string, unknown> {
  const isOn = powerHistory(world, account, instance.id);
  const moments = momentsOf(instance, span, stepMs);
  const series = (name: SeriesName): Point[] => moments.map((at) => [at, isOn(at) ? figure(instance.id, name, at) : 0]);
  const net = (family: "netv4" | "netv6") => ({
    in: series(`${family}.in`),
    out: series(`${family}.out`),
    private_in: series(`${family}.private_in`),
    private_out: series(`${family}.private_out`),
  });
  return {
    title: `${instance.label} (${world.brand.word}${instance.id})`,
    cpu: series("cpu"),
    io: { io: series("io"), swap: series("swap") },
    netv4: net("netv4"),
    netv6: net("netv6"),
  };
}

/** Returns the bytes that an instance received and sent over the public network. */
export function transferOf(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  span: Span,
): { in: number; out: number } {
  const isOn = powerHistory(world, account, instance.id);
  const moments = momentsOf(instance, span, SLOT_MS).filter(isOn);
  const bytes = (direction: "in" | "out"): number => {
    const bits = moments.reduce(
      (sum, at) => sum + figure(instance.id, `netv4.${direction}`, at) + figure(instance.id, `netv6.${direction}`, at),
      0,
    );
    return Math.round((bits * SLOT_MS) / 8000);
  };
  return { in: bytes("in"), out: bytes("out") };
}

/** Returns the calendar month in UTC. `month` is 1..12. */
export function monthOf(year: number, month: number): Span {
  return [Date.UTC(year, month - 1), Date.UTC(year, month)];
}

/** Returns the multiples of the step within the span, after the creation time of the instance. */
function momentsOf(instance: Readonly<InstanceRow>, [from, to]: Span, step: number): number[] {
  const first = Math.ceil(Math.max(from, instance.created) / step);
  const last = Math.ceil(to / step);
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => (first + index) * step);
}

function figure(instance: number, name: SeriesName, at: number): number {
  const [least, most] = SERIES[name];
  const part = noise(instance * 131 + Object.keys(SERIES).indexOf(name), Math.floor(at / SLOT_MS));
  return Math.round((least + (most - least) * part * part) * 100) / 100;
}

/** Returns a reproducible number in [0, 1) for two numbers. */
function noise(left: number, right: number): number {
  let mixed = Math.imul(left ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(right, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
}
