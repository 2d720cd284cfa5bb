import { createPrivateKey, generateKeyPairSync } from "node:crypto";

/** A self-signed certificate, for tests alone. */
export const CERTIFICATE = `\
-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIUb1ygbd8x87sRKXGB14BXFAnrhygwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRbWVkaWEuZXhhbXBsZS5jb20wIBcNMjYxMTIxMDYyMzE2WhgP
MjA1MTA3MTMwNjIzMTZaMBwxGjAYBgNVBAMMEW1lZGlhLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMtwSKI+LvBEaNaqinI070yd3URUBXsSF
VvFQApUJ9ekuS4okZKwRZJhMV5SxbiYvVvgenvMi3ZQzYPMIwcRhdaNTMFEwHQYD
VR0OBBYEFM68AN0HTNDB9bAkjwLmb2waO7J2MB8GA1UdIwQYMBaAFM68AN0HTNDB
9bAkjwLmb2waO7J2MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
AOPrqTZN3xHwocDnta3TCmcB1D/lcCq1E/S4u5KxGUj3AiBWG7KB50gdH4ak3DGq
aQAP3dToB1uL4BQ3oSm+Y+ZKJg==
-----END CERTIFICATE-----
`;

const key = {
  kty: "EC",
  x: "MtwSKI-LvBEaNaqinI070yd3URUBXsSFVvFQApUJ9ek",
  y: "LkuKJGSsEWSYTFeUsW4mL1b4Hp7zIt2UM2DzCMHEYXU",
  crv: "P-256",
  d: "L8zsoY27RG8kR4NSVejA6w6z4ygzSF3E3nm3RBN8Da4",
};

/** The key of the certificate. */
export const PRIVATE_KEY = createPrivateKey({ key, format: "jwk" }).export({ type: "pkcs8", format: "pem" }).toString();

/** A key that signs something else. */
export const OTHER_KEY = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
