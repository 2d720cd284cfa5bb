/** Two self-signed certificates with their keys, valid until 2051, only for the example of BucketCertificate. */

/** A Secret of the type kubernetes.io/tls. */
export const firstPair = pair(
  "MIIBjjCCATWgAwIBAgIUWvopdZLrs34Wu5ikIgUzYm19l08wCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRbWVkaWEuZXhhbXBsZS5j" +
    "b20wIBcNMjYxMTIyMTUwMDMyWhgPMjA1MTA3MTQxNTAwMzJaMBwxGjAYBgNVBAMMEW1lZGlhLmV4YW1wbGUuY29tMFkwEwYHKoZI" +
    "zj0CAQYIKoZIzj0DAQcDQgAEj1jJQlJSCjpDx3jljERRc0ITXiIaAYYslF0/45+RpjUd/C8e9obb/w3C402LDzEIIwPLqwLNO2av" +
    "VvON7rq4jKNTMFEwHQYDVR0OBBYEFDkflmTtrqb/NK5rNOpm9DcfUxdTMB8GA1UdIwQYMBaAFDkflmTtrqb/NK5rNOpm9DcfUxdT" +
    "MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgLrej5Ghn+fShJ6B3Cjwul/y5mb3nnkPQOc+kkwHZb6ECIH+IiP1O" +
    "Y8nSLqoK9+/LVze8RQQqfdNR3bhbaLk++2Qf",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGwRpKE+ZFC7IBIyJ3RLkrfk62vxtXRz1JBjpvjDb52ihRANCAASP" +
    "WMlCUlIKOkPHeOWMRFFzQhNeIhoBhiyUXT/jn5GmNR38Lx72htv/DcLjTYsPMQgjA8urAs07Zq9W843uuriM",
);

export const secondPair = pair(
  "MIIBjzCCATWgAwIBAgIUQR1djJKTQF7s1O/Y6A+BRFBTYs4wCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRbWVkaWEuZXhhbXBsZS5j" +
    "b20wIBcNMjYxMTIyMTUwMDMyWhgPMjA1MTA3MTQxNTAwMzJaMBwxGjAYBgNVBAMMEW1lZGlhLmV4YW1wbGUuY29tMFkwEwYHKoZI" +
    "zj0CAQYIKoZIzj0DAQcDQgAECgPuzHjj+brqCmZ2buheUJi740TN6bdMQ7OnOIgkSvkMxk3OLzZEaO2DFiYsGBt6RN/U2XZOBSn+" +
    "s3RIYm8tPKNTMFEwHQYDVR0OBBYEFNOGAgJ9tyxqMGQ2nEK5yvrmZEznMB8GA1UdIwQYMBaAFNOGAgJ9tyxqMGQ2nEK5yvrmZEzn" +
    "MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgSQMvopAI6sP3tnfMm9jobDX1zi9bUIPjt6TF0zg2QkoCIQCtvsSD" +
    "PmJaK5bU96UAppBomtpQhJLFgPsg6NI6Ry7ngA==",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCQy83afI4mwQ7kCj1CrexEs7ykaZhvetyViSRB5jZPuhRANCAAQK" +
    "A+7MeOP5uuoKZnZu6F5QmLvjRM3pt0xDs6c4iCRK+QzGTc4vNkRo7YMWJiwYG3pE39TZdk4FKf6zdEhiby08",
);

function pair(certificate: string, key: string): Record<string, string> {
  return { "tls.crt": pem("CERTIFICATE", certificate), "tls.key": pem("PRIVATE KEY", key) };
}

function pem(what: string, base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${what}-----`, ...lines, `-----END ${what}-----`, ""].join("\n");
}
