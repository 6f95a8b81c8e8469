import { expect, test } from '@jest/globals'
import { missingForDemo } from '../src/demo/texts.ts'

const offered = {
  allowSignUp: true,
  uploadsEnabled: true,
  verifyEmailAddress: false,
  requireBetaCode: false,
  proofOfWorkEnabled: false,
}

test.each([
  [{}, true, null],
  [{ allowSignUp: false }, true, 'The demo needs COFFER_ALLOW_SIGN_UP=true.'],
  [{ allowSignUp: false }, false, null],
  [{ uploadsEnabled: false }, false, 'The demo needs COFFER_UPLOADS_ENABLED=true.'],
  [
    { uploadsEnabled: false, allowSignUp: false },
    true,
    'The demo needs COFFER_UPLOADS_ENABLED=true and COFFER_ALLOW_SIGN_UP=true.',
  ],
  [{ verifyEmailAddress: true }, true, 'The demo needs COFFER_EMAIL_VERIFICATION_ENABLED=false.'],
  [{ requireBetaCode: true }, true, 'The demo needs COFFER_BETA_CODES_ENABLED=false.'],
  [{ requireBetaCode: true }, false, null],
  [{ proofOfWorkEnabled: true }, false, 'The demo needs COFFER_PROOF_OF_WORK_ENABLED=false.'],
])('a server with %j, for a new person: %j', (difference, whenNew, text) => {
  expect(missingForDemo({ ...offered, ...difference }, { whenNew })).toBe(text)
})
