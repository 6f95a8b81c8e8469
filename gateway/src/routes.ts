import type { Workers } from '@coffer/kit/workers'
import type { AppDeps } from './app.ts'
import type { Attempts } from './attempts.ts'
import type { SessionCookie } from './cookie.ts'
import type { ForecastPicture } from './forecast-chart.ts'
import type { Route } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { authenticationRoutes } from './routes/authentication.ts'
import { bankAccountRoutes } from './routes/bank-accounts.ts'
import { billingRoutes } from './routes/billing.ts'
import { challengeRoutes } from './routes/challenge.ts'
import { configRoutes } from './routes/config.ts'
import { emailRoutes } from './routes/email.ts'
import { feedBankAccountRoutes } from './routes/feed-bank-accounts.ts'
import { feedLinkRoutes } from './routes/feed-links.ts'
import { fileRoutes } from './routes/files.ts'
import { forecastRoutes } from './routes/forecast.ts'
import { fundingScheduleRoutes } from './routes/funding-schedules.ts'
import { healthRoutes } from './routes/health.ts'
import { historyRoutes } from './routes/history.ts'
import { iconRoutes } from './routes/icons.ts'
import { importRoutes } from './routes/imports.ts'
import { linkRoutes } from './routes/links.ts'
import { localeRoutes } from './routes/locale.ts'
import { mappingRoutes } from './routes/mappings.ts'
import { multifactorRoutes } from './routes/multifactor.ts'
import { referenceRoutes } from './routes/reference.ts'
import { securityRoutes } from './routes/security.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { similarRoutes } from './routes/similar.ts'
import { spendingRoutes } from './routes/spending.ts'
import { transactionBatchRoutes } from './routes/transaction-batch.ts'
import { transactionRoutes } from './routes/transactions.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { userRoutes } from './routes/users.ts'
import type { Sessions } from './session.ts'

/** What routes are made from. */
export interface RouteDeps extends AppDeps {
  cookie: SessionCookie
  sessions: Sessions
  /** Shared by the routes that it limits. */
  attempts: Attempts
  /** Threads that draw. */
  charts: Workers<ForecastPicture, string>
}

/** Every route, in the order of the reference. */
export function routesOf(deps: RouteDeps): Route[] {
  const routes = [
    healthRoutes(deps),
    configRoutes(deps),
    authenticationRoutes(deps),
    challengeRoutes(deps),
    emailRoutes(deps),
    multifactorRoutes(deps),
    accountRoutes(deps),
    userRoutes(deps),
    securityRoutes(deps),
    sessionRoutes(deps),
    apiKeyRoutes(deps),
    billingRoutes(deps),
    localeRoutes(),
    iconRoutes(),
    linkRoutes(deps),
    bankAccountRoutes(deps),
    fundingScheduleRoutes(deps),
    spendingRoutes(deps),
    forecastRoutes(deps),
    transactionRoutes(deps),
    transactionBatchRoutes(deps),
    similarRoutes(deps),
    historyRoutes(deps),
    uploadRoutes(deps),
    importRoutes(deps),
    mappingRoutes(deps),
    fileRoutes(deps),
    feedLinkRoutes(deps),
    feedBankAccountRoutes(deps),
  ].flat()
  return [...routes, ...referenceRoutes(routes, deps.config)]
}
