import type { Table } from "../server/store/store.ts";

/** An app authorized by the user. */
export interface AppRow {
  readonly id: number;
  readonly username: string;
  /** Revoking the app revokes the tokens of this client. */
  readonly clientId: string;
  readonly label: string;
  readonly scopes: string;
  readonly website: string;
  readonly thumbnail_url: string;
  readonly created: number;
  readonly expiry: number | null;
}

/** A trusted device. A login on the device needs no second factor for 30 days. */
export interface DeviceRow {
  readonly id: number;
  readonly username: string;
  readonly user_agent: string;
  readonly last_remote_addr: string;
  readonly created: number;
  readonly last_authenticated: number;
  readonly expiry: number;
}

export interface LoginRow {
  readonly id: number;
  readonly username: string;
  readonly datetime: number;
  readonly ip: string;
  readonly restricted: boolean;
  readonly status: "successful" | "failed";
}

/** A one-time code, sent and not used. */
export interface PhoneCodeRow {
  readonly username: string;
  readonly phone_number: string;
  readonly code: string;
  readonly expires: number;
}

/** A text message with a code. */
export interface SmsRow {
  readonly id: number;
  readonly username: string;
  readonly iso_code: string;
  readonly phone_number: string;
  readonly code: string;
  readonly sent: number;
}

/** Data that one OAuth client stores for one user. */
export interface PreferencesRow {
  readonly username: string;
  readonly clientId: string;
  readonly preferences: Readonly<Record<string, unknown>>;
}

export interface SecurityAnswerRow {
  readonly username: string;
  readonly question: number;
  readonly response: string;
}

type Owned = { readonly username: string };
const ofUser = (row: Owned) => row.username;

export const APPS: Table<AppRow> = { name: "app", key: (row) => row.id, parent: ofUser };
export const DEVICES: Table<DeviceRow> = { name: "device", key: (row) => row.id, parent: ofUser };
export const LOGINS: Table<LoginRow> = { name: "login", key: (row) => row.id, parent: ofUser };
export const PHONE_CODES: Table<PhoneCodeRow> = { name: "phone-code", key: ofUser };
export const SMS: Table<SmsRow> = { name: "sms", key: (row) => row.id, internal: true };
export const PREFERENCES: Table<PreferencesRow> = {
  name: "preferences",
  key: (row) => `${row.username} ${row.clientId}`,
};
export const SECURITY_ANSWERS: Table<SecurityAnswerRow> = {
  name: "security-answer",
  key: (row) => `${row.username} ${row.question}`,
  parent: ofUser,
};

export interface SSHKeyRow {
  readonly id: number;
  readonly username: string;
  readonly label: string;
  readonly ssh_key: string;
  readonly created: number;
}

export const SSH_KEYS: Table<SSHKeyRow> = { name: "sshkey", key: (row) => row.id, parent: (row) => row.username };
