import type { Figure } from "../../bench/support/measure.ts";

/** One curve: its name, and for a number of objects the value. */
export interface Series {
  name: string;
  points: [objects: number, value: number][];
}

/** Figures that name a number of objects ("… 1000 objects …"), by what they say without it. */
export function seriesOf(figures: Figure[]): (Series & { unit: string })[] {
  const named = figures.flatMap(({ what, value, unit }) => {
    const objects = /(\d+) objects/.exec(what)?.[1];
    const name = what.replace(/,? *(up to|of|with)? *\d+ objects/, "");
    return objects === undefined || objects === "0" ? [] : [{ name, unit, objects: Number(objects), value }];
  });
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, rows]) => ({
    name,
    unit: rows[0]?.unit ?? "",
    points: rows.map(({ objects, value }) => [objects, value]),
  }));
}

const [width, height] = [560, 300];
/** Room for the right half of the last number below the axis. */
const overhang = 16;
const frame = { left: 56, right: 16, top: 40, bottom: 64 };
const colours = ["#1f6feb", "#d1242f", "#2da44e", "#8250df"];

/** A drawing of curves over the number of objects, which grows by tens; the other axis begins at zero. */
export function plot(title: string, unit: string, series: Series[]): string {
  const all = series.flatMap(({ points }) => points);
  const logs = all.map(([objects]) => Math.log10(objects));
  const [from, to] = [Math.min(...logs), Math.max(...logs)];
  const top = roundUp(Math.max(...all.map(([, value]) => value)));
  const x = (objects: number): number =>
    frame.left + ((Math.log10(objects) - from) / (to - from || 1)) * (width - frame.left - frame.right);
  const y = (value: number): number => height - frame.bottom - (value / top) * (height - frame.top - frame.bottom);
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => line(y(share * top), `${Number((share * top).toPrecision(3))}`));
  const sizes = [...new Set(all.map(([objects]) => objects))].map((objects) =>
    text(x(objects), height - frame.bottom + 18, objects.toLocaleString("en"), "middle"),
  );
  const curves = series.map(({ name, points }, index) => {
    const colour = colours[index % colours.length] ?? "";
    const path = points.map(([objects, value]) => `${x(objects).toFixed(1)},${y(value).toFixed(1)}`);
    const dots = path.map((point) => `<circle cx="${point.replace(",", '" cy="')}" r="3" fill="${colour}"/>`);
    const legend = text(frame.left + index * 250, height - 12, name, "start", colour);
    return `<polyline points="${path.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}${legend}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width + overhang} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width + overhang}" height="${height}" fill="#fff"/>`,
    text(frame.left, 22, `${title}${unit === "" ? "" : `, ${unit}`}, by number of objects`, "start", "#000"),
    ...lines,
    ...sizes,
    ...curves,
    "</svg>\n",
  ].join("\n");
}

function line(at: number, label: string): string {
  const rule = `<line x1="${frame.left}" x2="${width - frame.right}" y1="${at}" y2="${at}" stroke="#ddd"/>`;
  return rule + text(frame.left - 6, at + 4, label, "end");
}

function text(x: number, y: number, words: string, anchor: string, colour = "#555"): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
}

/** To one, two or five times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}
