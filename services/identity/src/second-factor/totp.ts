import { generateURI, verifySync } from 'otplib'

/** Number of random bytes of a seed: the size of a SHA-1 hash (RFC 4226, section 4, R6). */
export const seedBytes = 20

// RFC 6238, section 5.2: the default time step; many authenticators ignore any other.
const stepSeconds = 30

/** Returns the otpauth URI of a seed in base32; authenticators read it as a QR code. */
export function totpUri(email: string, seed: string): string {
  return generateURI({ issuer: 'Coffer', label: email, secret: seed })
}

/**
 * Returns the time step (RFC 6238) of a valid code, otherwise null. The current step, the one
 * before and the one after are valid, if later than `lastStep` (docs/sign-in.md#second-factor).
 */
export function acceptedStep(code: {
  seed: string
  totp: string
  lastStep: number
  now: Date
}): number | null {
  const { seed, totp, lastStep, now } = code
  const epoch = Math.floor(now.getTime() / 1000)
  // Returns null where otplib would throw: if `lastStep` is later than the next step, as after a
  // clock was set back.
  if (!/^\d{6}$/.test(totp) || lastStep > Math.floor((epoch + stepSeconds) / stepSeconds))
    return null
  const result = verifySync({
    secret: seed,
    token: totp,
    epoch,
    epochTolerance: stepSeconds,
    afterTimeStep: lastStep,
  })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
