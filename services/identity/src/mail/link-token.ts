import { base32, hashOf } from '../sign-in/secret.ts'

const minuteMs = 60_000

/** A token for a link: shown once, stored as its hash; `bytes` are 32 random ones. */
export function newLinkToken(
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

/** Where links lead and mails come from, where no address of its own is set. */
export function publicAddresses(settings: {
  externalUrl: string
  port: number
  mailFrom: string
}): { baseUrl: string; sender: string } {
  const baseUrl = settings.externalUrl || `http://127.0.0.1:${settings.port}`
  const { hostname } = new URL(baseUrl)
  return { baseUrl, sender: settings.mailFrom || `no-reply@${hostname}` }
}

/** The host that clients know the server by; empty where no address is set. */
export function hostOf(externalUrl: string): string {
  return externalUrl === '' ? '' : new URL(externalUrl).hostname
}

/** The page that a link leads to (spec/identity.md 11.2), below a path prefix if there is one. */
export function linkTo(base: string, page: string, token: string): string {
  return `${base.replace(/\/$/, '')}${page}?token=${token}`
}
