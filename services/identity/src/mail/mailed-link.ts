import { base32, hashOf } from '../book/secret.ts'

const minuteMs = 60_000

/** Returns a new link's token, made of 32 random `bytes`, with its hash and expiry to store. */
export function createMailedLink(
  bytes: Uint8Array,
  { now, minutes }: { now: Date; minutes: number },
): { token: string; tokenHash: Buffer; expiresAt: Date } {
  const token = base32(bytes)
  return {
    token,
    tokenHash: hashOf(token),
    expiresAt: new Date(now.getTime() + minutes * minuteMs),
  }
}

/**
 * Returns the base URL of mailed links (default: `port` at 127.0.0.1) and the From address of mails
 * (default: no-reply at the host of the base URL).
 */
export function publicAddresses(settings: {
  externalUrl: string
  port: number
  mailFrom: string
}): { baseUrl: string; sender: string } {
  const baseUrl = settings.externalUrl || `http://127.0.0.1:${settings.port}`
  const { hostname } = new URL(baseUrl)
  return { baseUrl, sender: settings.mailFrom || `no-reply@${hostname}` }
}

/** Returns the host name of the external URL; empty if the URL is not set. */
export function hostOf(externalUrl: string): string {
  return externalUrl === '' ? '' : new URL(externalUrl).hostname
}

/** Returns the URL of a mailed link, below the path of `base` (docs/sign-in.md#mailed-links). */
export function mailedLinkUrl(base: string, page: string, token: string): string {
  return `${base.replace(/\/$/, '')}${page}?token=${token}`
}
