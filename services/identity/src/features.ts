/** The operator's settings that enable features of sign-in. */
export interface FeatureSettings {
  allowSignUp: boolean
  smtpUrl: string
  emailVerificationEnabled: boolean
  forgotPasswordEnabled: boolean
  betaCodesEnabled: boolean
  proofOfWorkEnabled: boolean
}

/** Returns whether each feature is on; features that send mails require an SMTP server. */
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
