import type { RouteDeps } from './deps.ts'
import type { Route } from './http/route.ts'
import { institutionRoutes } from './routes/aggregator/institutions.ts'
import { aggregatorLinkRoutes } from './routes/aggregator/links.ts'
import { aggregatorSyncRoutes } from './routes/aggregator/syncs.ts'
import { aggregatorWebhookRoutes } from './routes/aggregator/webhook.ts'
import { billRoutes } from './routes/budgeting/bills.ts'
import { forecastRoutes } from './routes/budgeting/forecast.ts'
import { fundingScheduleRoutes } from './routes/budgeting/funding-schedules.ts'
import { spendingRoutes } from './routes/budgeting/spending.ts'
import { configRoutes } from './routes/config.ts'
import { feedBankAccountRoutes } from './routes/feed/bank-accounts.ts'
import { feedLinkRoutes } from './routes/feed/links.ts'
import { feedSyncRoutes } from './routes/feed/syncs.ts'
import { healthRoutes } from './routes/health.ts'
import { iconRoutes } from './routes/icons.ts'
import { accountRoutes } from './routes/identity/account.ts'
import { apiKeyRoutes } from './routes/identity/api-keys.ts'
import { authenticationRoutes } from './routes/identity/authentication.ts'
import { billingRoutes } from './routes/identity/billing.ts'
import { emailRoutes } from './routes/identity/email.ts'
import { securityRoutes } from './routes/identity/security.ts'
import { sessionRoutes } from './routes/identity/sessions.ts'
import { userRoutes } from './routes/identity/users.ts'
import { bankAccountRestorationRoutes } from './routes/ledger/bank-account-restoration.ts'
import { bankAccountRoutes } from './routes/ledger/bank-accounts.ts'
import { bulkChangeRoutes } from './routes/ledger/bulk-changes.ts'
import { bulkTransactionRoutes } from './routes/ledger/bulk-transactions.ts'
import { historyRoutes } from './routes/ledger/history.ts'
import { importRoutes } from './routes/ledger/imports.ts'
import { linkRoutes } from './routes/ledger/links.ts'
import { mappingRoutes } from './routes/ledger/mappings.ts'
import { ruleRunRoutes } from './routes/ledger/rule-runs.ts'
import { ruleSuggestionRoutes } from './routes/ledger/rule-suggestions.ts'
import { ruleRoutes } from './routes/ledger/rules.ts'
import { suggestionRoutes } from './routes/ledger/suggestions.ts'
import { tagRoutes } from './routes/ledger/tags.ts'
import { transactionRoutes } from './routes/ledger/transactions.ts'
import { uploadGroupRoutes } from './routes/ledger/upload-groups.ts'
import { uploadRoutes } from './routes/ledger/uploads.ts'
import { changeRoutes } from './routes/notices/changes.ts'
import { deliveryRoutes } from './routes/notices/deliveries.ts'
import { webhookRoutes } from './routes/notices/webhooks.ts'
import { overviewRoutes } from './routes/overview.ts'
import { referenceRoutes } from './routes/reference.ts'

/** Returns every route, in the order of the OpenAPI document. */
export function createRoutes(deps: RouteDeps): Route[] {
  const routes = [
    healthRoutes(deps),
    configRoutes(deps),
    authenticationRoutes(deps),
    emailRoutes(deps),
    accountRoutes(deps),
    userRoutes(deps),
    securityRoutes(deps),
    sessionRoutes(deps),
    apiKeyRoutes(deps),
    billingRoutes(deps),
    iconRoutes(),
    overviewRoutes(deps),
    linkRoutes(deps),
    bankAccountRoutes(deps),
    bankAccountRestorationRoutes(deps),
    fundingScheduleRoutes(deps),
    spendingRoutes(deps),
    billRoutes(deps),
    forecastRoutes(deps),
    transactionRoutes(deps),
    tagRoutes(deps),
    ruleRoutes(deps),
    ruleRunRoutes(deps),
    ruleSuggestionRoutes(deps),
    suggestionRoutes(deps),
    bulkTransactionRoutes(deps),
    bulkChangeRoutes(deps),
    historyRoutes(deps),
    changeRoutes(deps),
    uploadRoutes(deps),
    uploadGroupRoutes(deps),
    importRoutes(deps),
    mappingRoutes(deps),
    feedLinkRoutes(deps),
    feedBankAccountRoutes(deps),
    feedSyncRoutes(deps),
    aggregatorLinkRoutes(deps),
    aggregatorSyncRoutes(deps),
    institutionRoutes(deps),
    aggregatorWebhookRoutes(deps),
    webhookRoutes(deps),
    deliveryRoutes(deps),
  ].flat()
  return [...routes, ...referenceRoutes(routes, deps.config)]
}
