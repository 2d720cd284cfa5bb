import type { Control } from "../control/control.ts";
import { ApiError } from "../errors.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { isSecretField } from "./redacted.ts";
import { KINDS, keyOf } from "./sections.ts";

/** Fields that identify a row. */
const KEYS = new Set(["id", "address"]);

/** Returns the form that changes a row as JSON, or an empty text if the row does not exist. */
export function changeForm(control: Control, kind: string, id: string): Html | "" {
  const row = rowOf(control, kind, id);
  if (row === undefined) return "";
  const fields = JSON.stringify(changeable(row), undefined, 2);
  return html`<form class="panel change" id="change" method="post" action="/_simulator/do/change">
    <h3>Change ${kind} ${id}</h3>
    <p class="soft">The simulator stores the fields that you change. It records no request and no event.</p>
    <input type="hidden" name="table" value="${kind}" /><input type="hidden" name="id" value="${id}" />
    <label>Fields as JSON<textarea name="fields" rows="16" spellcheck="false">${fields}</textarea></label>
    <button class="strong">Save the change</button>
    <a href="?kind=${kind}#resources">Cancel</a>
  </form>`;
}

/**
 * Stores the changed fields of the form. Returns a sentence that names the fields.
 * Throws an ApiError that names the field if the text is not a JSON object, or if a field is unknown or has a new type.
 */
export function changeRow(control: Control, form: URLSearchParams): string {
  const [kind, id] = [form.get("table") ?? "", form.get("id") ?? ""];
  const row = kind in KINDS ? rowOf(control, kind, id) : undefined;
  if (row === undefined) throw new ApiError(404, [{ reason: `There is no ${kind} ${id}` }]);
  const before = changeable(row);
  const changes = Object.entries(objectIn(form.get("fields") ?? "")).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  for (const [name, value] of changes) requireSameType(name, value, before);
  if (changes.length === 0) return `No field of ${kind} ${id} differs.`;
  control.change(kind, id, Object.fromEntries(changes));
  return `Changed ${changes.map(([name]) => name).join(", ")} of ${kind} ${id}, without a request.`;
}

/** Returns the fields for the form, without the key, and without secrets at any depth. */
function changeable(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => !KEYS.has(name) && !isSecret(name, value)));
}

function isSecret(name: string, value: unknown): boolean {
  if (isSecretField(name)) return true;
  return (
    value !== null && typeof value === "object" && Object.entries(value).some(([inner, each]) => isSecret(inner, each))
  );
}

function requireSameType(name: string, value: unknown, before: Record<string, unknown>): void {
  if (!(name in before)) throw new ApiError(400, [{ field: name, reason: "Cannot be changed here" }]);
  const old = before[name];
  if (value === null || old === null || typeOf(value) === typeOf(old)) return;
  throw new ApiError(400, [{ field: name, reason: `Must have the type ${typeOf(old)}, as before` }]);
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // Refused below, like JSON of another type.
  }
  throw new ApiError(400, [{ field: "fields", reason: "Must be a JSON object" }]);
}

function rowOf(control: Control, kind: string, id: string): Record<string, unknown> | undefined {
  return control.rows(kind).find((row) => keyOf(row) === id);
}
