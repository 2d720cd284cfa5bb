import type { Control } from "../control/control.ts";
import { faultSchema } from "../faults/faults.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { table } from "./sections.ts";

const FAULT_KINDS = faultSchema.options.map((option) => option.shape.kind.value);

/** Returns the forms for the clock, rate limits, faults and reset. */
export function switches(control: Control): Html {
  return html`<div class="panels">${[clock(control), limits(control), newFault(control), reset()]}</div>
    <h3 class="armed">Active faults</h3>
    ${faults(control)}`;
}

function clock(control: Control): Html {
  return html`<form class="panel" method="post" action="/_simulator/do/clock">
    <h3>Clock</h3>
    <div class="fields">
      <label>Move forward by minutes<input name="minutes" type="number" min="0" step="any" value="10" /></label>
      <label
        >Time scale<input name="scale" type="number" min="0.001" step="any" value="${control.clock.scale()}" required
      /></label>
    </div>
    <button class="strong">Set the clock</button>
  </form>`;
}

function limits(control: Control): Html {
  const { enabled, scale } = control.rateLimits.get();
  const choice = (value: string, chosen: boolean) => html`<option${chosen ? html` selected` : ""}>${value}</option>`;
  return html`<form class="panel" method="post" action="/_simulator/do/limits">
    <h3>Rate limits</h3>
    <div class="fields">
      <label
        >Rate limits apply<select name="enabled">
          ${[choice("on", enabled), choice("off", !enabled)]}
        </select></label
      >
      <label
        >Multiply limits by<input name="scale" type="number" min="0.001" step="any" value="${scale}" required
      /></label>
    </div>
    <button class="strong">Set the limits</button>
  </form>`;
}

function newFault(control: Control): Html {
  const options = (values: readonly string[]) => values.map((value) => html`<option>${value}</option>`);
  return html`<form class="panel" method="post" action="/_simulator/do/fault">
    <h3>New fault</h3>
    <div class="fields">
      <label
        >Kind<select name="kind">
          ${options(FAULT_KINDS)}
        </select></label
      >
      <label>Requests (empty: all)<input name="times" type="number" min="1" value="1" /></label>
      <label class="wide"
        >Operation<select name="operation">
          <option value="">any</option>
          ${options(control.operations())}
        </select></label
      >
      <label>Status, for “status”<input name="status" type="number" min="400" max="599" value="500" /></label>
      <label>Seconds, if the fault waits<input name="seconds" type="number" min="0" step="any" value="5" /></label>
    </div>
    <button class="strong">Add the fault</button>
  </form>`;
}

function reset(): Html {
  return html`<form class="panel" method="post" action="/_simulator/do/reset">
    <h3>Reset</h3>
    <p class="soft">
      Deletes all resources, faults and recorded requests. IDs are never reused. The clock does not change.
    </p>
    <label class="check"><input type="checkbox" name="sure" value="yes" required />Delete everything</label>
    <button class="danger">Reset the simulator</button>
  </form>`;
}

function faults(control: Control): Html {
  const lines = control.faults.list().map(({ id, fault, played }) => {
    const { kind, ...rest } = fault;
    return html`<tr>
      <td class="number">${id}</td>
      <th scope="row">${kind}</th>
      <td><code>${JSON.stringify(rest)}</code></td>
      <td class="number">${played}</td>
      <td class="narrow">
        <form method="post" action="/_simulator/do/unfault">
          <input type="hidden" name="id" value="${id}" />
          <button class="small" aria-label="Remove fault ${id}">Remove</button>
        </form>
      </td>
    </tr>`;
  });
  return table(["#Id", "Kind", "Fields", "#Requests", ""], lines, "There is no active fault.");
}
