import { X509Certificate } from 'node:crypto'

/** Purposes that both ends of a call need: serverAuth and clientAuth (RFC 5280 4.2.1.12). */
const purposes = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']

/**
 * Parses the certificates of a PEM text, in their order.
 * @throws {Error} if one cannot be parsed, or there is none
 */
export function certificatesIn(text: string): X509Certificate[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  return (found ?? [text]).map((one) => new X509Certificate(one))
}

/** Returns whether a certificate is valid at an instant (RFC 5280 4.1.2.5). */
export function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && now <= certificate.validToDate
}

/**
 * Returns whether a certificate is valid for client and server: its extended key usage lists both
 * purposes, or is missing.
 */
export function isForBothEnds({ keyUsage }: X509Certificate): boolean {
  // Node's name for the extended key usages; undefined without this extension.
  return keyUsage === undefined || purposes.every((one) => keyUsage.includes(one))
}

/**
 * Returns whether the first certificate has a path to a self-signed certificate of the CA, through
 * the other certificates of its file and of the CA (RFC 5280 6.1). All of the path must be valid at
 * the instant. OpenSSL does the same at the handshake; this check reports a fault beforehand.
 */
export function hasValidChain(
  [first, ...between]: X509Certificate[],
  authorities: X509Certificate[],
  now: Date,
): boolean {
  const issuers = [...between, ...authorities].filter(({ ca }) => ca)
  const trusted = new Set(authorities.map(({ fingerprint256 }) => fingerprint256))
  const reaches = (one: X509Certificate, seen: string[]): boolean => {
    if (seen.includes(one.fingerprint256) || !isValidAt(one, now)) return false
    if (isIssuedBy(one, one)) return trusted.has(one.fingerprint256)
    const path = [...seen, one.fingerprint256]
    return issuers.some((issuer) => isIssuedBy(one, issuer) && reaches(issuer, path))
  }
  return first !== undefined && reaches(first, [])
}

function isIssuedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey)
}
