import { generateURI, verifySync } from 'otplib'

/** Bytes of a seed: as many as SHA-1 has (RFC 4226, section 4, R6). */
export const seedBytes = 20

// RFC 6238, section 5.2; authenticators know no other step.
const stepSeconds = 30

/** What an authenticator is set up with; `seed` is in base32. */
export function totpUri(email: string, seed: string): string {
  return generateURI({ issuer: 'Coffer', label: email, secret: seed })
}

/**
 * The time step of a code that fits now or one step before or after, and is of a later step than
 * the last one accepted; otherwise null (spec/decisions.md, MFA).
 */
export function acceptedStep(code: {
  seed: string
  totp: string
  lastStep: number
  now: Date
}): number | null {
  const { seed, totp, lastStep, now } = code
  const epoch = Math.floor(now.getTime() / 1000)
  // The library takes a last step beyond the window, after a clock was put back, for a mistake.
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
