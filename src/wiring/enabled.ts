/** The kinds that this operator manages, and the disabled kinds. */
import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../kinds/registry.ts";

export interface Enabled {
  kinds: Kind[];
  disabled: Kind[];
  mirrors: Mirror[];
}

/**
 * Returns the enabled and disabled kinds.
 *
 * @throws Error that completes the name of the setting, for an unknown kind or a kind that every other kind needs
 */
export function enabledKinds(disabled: readonly string[] = []): Enabled {
  const known = [...kinds, ...mirrors].map(({ kind }) => kind);
  for (const name of disabled) {
    if (name === cloudAccount.kind) throw new Error(`${name} cannot be disabled: all kinds need it`);
    if (!known.includes(name)) throw new Error(`there is no kind ${name}; kinds are ${known.toSorted().join(", ")}`);
  }
  const isOn = ({ kind }: { kind: string }): boolean => !disabled.includes(kind);
  return { kinds: kinds.filter(isOn), disabled: kinds.filter((kind) => !isOn(kind)), mirrors: mirrors.filter(isOn) };
}
