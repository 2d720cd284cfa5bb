import * as z from "zod";

/** The user of a token, as GET /profile shows it to every kind that reads it: part 1, section 2.4. */
export const profileRow = z.object({
  uid: z.int(),
  username: z.string(),
  email: z.string().nullish(),
  email_notifications: z.boolean().nullish(),
  timezone: z.string().nullish(),
  lish_auth_method: z.string().nullish(),
  authorized_keys: z.array(z.string()).nullish(),
  two_factor_auth: z.boolean().nullish(),
  ip_whitelist_enabled: z.boolean().nullish(),
  restricted: z.boolean().nullish(),
  authentication_type: z.string().nullish(),
  verified_phone_number: z.string().nullish(),
});
