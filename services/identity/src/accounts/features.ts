/** What the settings offer; some of it needs mail. */
export interface FeatureSettings {
  allowSignUp: boolean
  smtpUrl: string
  emailVerificationEnabled: boolean
  forgotPasswordEnabled: boolean
  betaCodesEnabled: boolean
  proofOfWorkEnabled: boolean
}

/** What is on: without mail, nothing that would send one (spec/identity.md 3.2). */
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
