import type { Offered } from './replies.ts'

/**
 * The settings without which a server cannot load the demo data, as one line; null when none is
 * missing. Registration is needed only for a new person, `whenNew`.
 */
export function missingForDemo(offered: Offered, { whenNew }: { whenNew: boolean }): string | null {
  const { allowSignUp, verifyEmailAddress, requireBetaCode, proofOfWorkEnabled } = offered
  const missing = [
    ...(offered.uploadsEnabled ? [] : ['COFFER_UPLOADS_ENABLED=true']),
    ...(whenNew && !allowSignUp ? ['COFFER_ALLOW_SIGN_UP=true'] : []),
    ...(whenNew && verifyEmailAddress ? ['COFFER_EMAIL_VERIFICATION_ENABLED=false'] : []),
    ...(whenNew && requireBetaCode ? ['COFFER_BETA_CODES_ENABLED=false'] : []),
    ...(proofOfWorkEnabled ? ['COFFER_PROOF_OF_WORK_ENABLED=false'] : []),
  ]
  return missing.length === 0 ? null : `The demo needs ${missing.join(' and ')}.`
}
