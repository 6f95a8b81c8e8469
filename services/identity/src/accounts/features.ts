/** Settings that switch features of sign-in on. */
export interface FeatureSettings {
  allowSignUp: boolean
  smtpUrl: string
  emailVerificationEnabled: boolean
  forgotPasswordEnabled: boolean
  betaCodesEnabled: boolean
  proofOfWorkEnabled: boolean
}

/**
 * Returns the features that are on (docs/sign-in.md#what-a-server-offers). Features that send mails
 * are off without an SMTP server.
 */
export function featuresOf(settings: FeatureSettings) {
  const sendsMail = settings.smtpUrl !== ''
  return {
    sendsMail,
    allowSignUp: settings.allowSignUp,
    verifyEmailAddress: sendsMail && settings.emailVerificationEnabled,
    allowForgotPassword: sendsMail && settings.forgotPasswordEnabled,
    requireBetaCode: settings.betaCodesEnabled,
    proofOfWorkEnabled: settings.proofOfWorkEnabled,
  }
}
