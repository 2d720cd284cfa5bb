/** Every spec that is refused, each for one reason. */
import { refusedAccepted } from "./refused-accepted.ts";
import { refusedAccess } from "./refused-access.ts";
import { refusedAccount } from "./refused-account.ts";
import { refusedAddresses } from "./refused-addresses.ts";
import { refusedForms } from "./refused-forms.ts";
import { refusedMachines } from "./refused-machines.ts";
import { refusedMistakesOfAccounts } from "./refused-mistakes-of-accounts.ts";
import { refusedMistakes } from "./refused-mistakes.ts";
import { refusedSecretForms } from "./refused-secret-form.ts";
import { refusedTags } from "./refused-tags.ts";
import { refused as refusedOthers } from "./refused.ts";

export const refused = refusedOthers.concat(
  refusedAccepted,
  refusedAccess,
  refusedAccount,
  refusedAddresses,
  refusedForms,
  refusedMachines,
  refusedMistakes,
  refusedMistakesOfAccounts,
  refusedSecretForms,
  refusedTags,
);
