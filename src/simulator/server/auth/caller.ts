import { NO_GRANTS } from "./identity.ts";
import type { TokenRow, UserRow } from "./identity.ts";

/** The token and the user of a request. */
export interface Caller {
  readonly anonymous: boolean;
  readonly token: TokenRow;
  readonly user: Readonly<UserRow>;
}

/** The caller of a request without credentials. Reads only public rows. */
export const ANONYMOUS: Caller = {
  anonymous: true,
  token: {
    token: "",
    label: "anonymous",
    account: "anonymous",
    username: "",
    scopes: "",
    clientId: "",
    revoked: false,
  },
  user: {
    username: "",
    uid: 0,
    email: "",
    restricted: true,
    grants: NO_GRANTS,
    authorized_keys: null,
    email_notifications: false,
    lish_auth_method: "disabled",
    timezone: "UTC",
    two_factor_auth: false,
    verified_phone_number: null,
  },
};
