import { defineService } from '@coffer/kit/service/service'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { AttemptService } from '@coffer/proto/identity/v1/attempt'
import { BillingService } from '@coffer/proto/identity/v1/billing'
import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { ObjectService } from '@coffer/proto/identity/v1/object'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { ProofOfWorkService } from '@coffer/proto/identity/v1/proof_of_work'
import { RequestBudgetService } from '@coffer/proto/identity/v1/request_budget'
import { SessionService } from '@coffer/proto/identity/v1/session'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { accountDeletionActivities } from './accounts/account-deletion.activities.ts'
import { deletionHandler } from './accounts/account-deletion.consumer.ts'
import { accountDeletion } from './accounts/account-deletion.rpc.ts'
import { emails } from './accounts/email.rpc.ts'
import { objectRoutes } from './accounts/object.rpc.ts'
import { sweepActivities } from './accounts/sweep.activities.ts'
import { timezoneChangeActivities } from './accounts/timezone-change.activities.ts'
import { timezoneHandler } from './accounts/timezone-change.consumer.ts'
import { timezoneChange } from './accounts/timezone-change.rpc.ts'
import { users } from './accounts/user.rpc.ts'
import { userChange } from './accounts/user-change.rpc.ts'
import { apiKeys } from './api-keys/api-key.rpc.ts'
import { requestBudgets } from './api-keys/request-budget.rpc.ts'
import { billingActivities } from './billing/billing.activities.ts'
import { createBillingClient } from './billing/billing.client.ts'
import { registrationHandler } from './billing/billing.consumer.ts'
import { billingRoutes } from './billing/billing.rpc.ts'
import { requireBillingSettings, settings } from './config.ts'
import { featuresOf } from './features.ts'
import { linkMailHandler } from './mail/link-mail.consumer.ts'
import { mailActivities } from './mail/mail.activities.ts'
import { createMailServer } from './mail/mail.client.ts'
import { mailHandler } from './mail/mail.consumer.ts'
import { publicAddresses } from './mail/mailed-link.ts'
import { webhookMailHandler } from './mail/webhook-mail.consumer.ts'
import { proofOfWork } from './proof-of-work/proof-of-work.rpc.ts'
import { multifactor } from './second-factor/multifactor.rpc.ts'
import { attempts } from './sign-in/attempt.rpc.ts'
import { credentials } from './sign-in/credential.rpc.ts'
import { password } from './sign-in/password.rpc.ts'
import { startPasswords } from './sign-in/password-pool.client.ts'
import { registration } from './sign-in/registration.rpc.ts'
import { sessions } from './sign-in/session.rpc.ts'
import { signIn } from './sign-in/sign-in.rpc.ts'

const schedules = [
  { args: [], id: 'identity-sweep', type: 'sweepIdentity', cron: '*/10 * * * *' },
  { args: [], id: 'deletion-sweep', type: 'sweepDeletions', cron: '*/10 * * * *' },
]

// Schedules that run only while billing is on; docs/events.md#workflows lists their times.
const billingSchedules = [
  { args: [], id: 'billing-sweep', type: 'sweepBilling', cron: '*/10 * * * *' },
  { args: [], id: 'trial-reminders', type: 'remindOfTrials', cron: '30 */6 * * *' },
  {
    args: [],
    id: 'billing-reconciliation',
    type: 'reconcileSubscriptions',
    cron: '15 */12 * * *',
  },
]

/** The identity service: logins, users, accounts, sessions, API keys and billing. */
export const identity = defineService({
  name: 'identity',
  schema: 'identity',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  hidden: ['accounts.billing_customer_id', 'accounts.subscription_id'],
  create: (offered) => {
    const { config } = offered
    const passwords = startPasswords(config.passwordHashesAtOnce)
    requireBillingSettings(config)
    const billing = config.billed ? createBillingClient(config) : null
    if (config.emailVerificationEnabled && !config.smtpUrl) {
      offered.log.warn('email verification is off: COFFER_SMTP_URL is not set')
    }
    const mailServer = config.smtpUrl
      ? createMailServer({ ...config, ...publicAddresses(config) })
      : null
    const deps = { ...offered, passwords, mailServer, billing }
    return {
      routes: (router) => {
        router.service(SignInService, {
          ...registration(deps),
          ...signIn(deps),
          ...credentials(deps),
        })
        router.service(AttemptService, attempts(deps))
        router.service(RequestBudgetService, requestBudgets(deps))
        router.service(MultifactorService, multifactor(deps))
        router.service(PasswordService, password(deps))
        router.service(SessionService, sessions(deps))
        router.service(ObjectService, objectRoutes(deps))
        router.service(UserService, { ...users(deps), ...userChange(deps) })
        router.service(EmailService, emails(deps))
        router.service(FeatureService, { getFeatures: () => featuresOf(config) })
        router.service(ProofOfWorkService, proofOfWork(deps))
        router.service(ApiKeyService, apiKeys(deps))
        router.service(BillingService, billingRoutes(deps))
        router.service(AccountService, { ...accountDeletion(deps), ...timezoneChange(deps) })
      },
      handlers: [
        mailHandler(deps),
        linkMailHandler(deps),
        webhookMailHandler(deps),
        deletionHandler(deps),
        timezoneHandler(deps),
        registrationHandler({ ...deps, hasBilling: billing !== null }),
      ],
      activities: {
        ...accountDeletionActivities(deps),
        ...timezoneChangeActivities(deps),
        ...mailActivities(deps),
        ...sweepActivities(deps),
        ...(billing ? billingActivities({ ...deps, billing }) : {}),
      },
      schedules: [...schedules, ...(billing ? billingSchedules : [])],
      formerSchedules: billing ? [] : billingSchedules.map(({ id }) => id),
      close: async () => {
        await mailServer?.close()
        await passwords[Symbol.asyncDispose]()
      },
    }
  },
})
