import { generateKeyPairSync } from 'node:crypto'
import type { DescMethod } from '@bufbuild/protobuf'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { authorize } from '@coffer/host/rpc/interceptors'
import { createMesh } from '@coffer/host/rpc/mesh'
import type { Caller, Signer } from '@coffer/kit/rpc/caller'
import { callerRefused, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { callerKey } from '@coffer/kit/rpc/rpc'
import { AggregatorLinkService } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import { InstitutionService } from '@coffer/proto/aggregatorsync/v1/institution'
import { WebhookService } from '@coffer/proto/aggregatorsync/v1/webhook'
import { ForecastService } from '@coffer/proto/budgeting/v1/forecast'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { OverviewService } from '@coffer/proto/budgeting/v1/overview'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { AccountDataService } from '@coffer/proto/data/v1/account_data'
import { FeedBankAccountService } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { AttemptService } from '@coffer/proto/identity/v1/attempt'
import { BillingService } from '@coffer/proto/identity/v1/billing'
import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { ProofOfWorkService } from '@coffer/proto/identity/v1/proof_of_work'
import { RequestBudgetService } from '@coffer/proto/identity/v1/request_budget'
import { SessionService } from '@coffer/proto/identity/v1/session'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { CorrectionService } from '@coffer/proto/ledger/v1/correction'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { MappingService } from '@coffer/proto/ledger/v1/mapping'
import { RuleService } from '@coffer/proto/ledger/v1/rule'
import { RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import { RuleSuggestionService } from '@coffer/proto/ledger/v1/rule_suggestion'
import { SimilarService } from '@coffer/proto/ledger/v1/similar'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { TagService } from '@coffer/proto/ledger/v1/tag'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import { UploadGroupService } from '@coffer/proto/ledger/v1/upload_group'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { WebhookService as OwnWebhookService } from '@coffer/proto/notices/v1/webhook'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type HandlerContext,
  type Interceptor,
  type ServiceImpl,
} from '@connectrpc/connect'

const services = {
  identity: {
    signIn: SignInService,
    attempts: AttemptService,
    requestBudgets: RequestBudgetService,
    multifactor: MultifactorService,
    passwords: PasswordService,
    sessions: SessionService,
    users: UserService,
    accounts: AccountService,
    accountData: AccountDataService,
    apiKeys: ApiKeyService,
    billing: BillingService,
    emails: EmailService,
    features: FeatureService,
    proofOfWork: ProofOfWorkService,
  },
  ledger: {
    links: LinkService,
    bankAccounts: BankAccountService,
    transactions: TransactionService,
    corrections: CorrectionService,
    suggestions: SuggestionService,
    bulkChanges: BulkChangeService,
    tags: TagService,
    rules: RuleService,
    ruleRuns: RuleRunService,
    ruleSuggestions: RuleSuggestionService,
    envelopes: EnvelopeService,
    similar: SimilarService,
    uploads: UploadService,
    uploadGroups: UploadGroupService,
    imports: ImportService,
    mappings: MappingService,
    files: FileService,
    history: HistoryService,
  },
  budgeting: {
    spending: SpendingService,
    fundingSchedules: FundingScheduleService,
    overviews: OverviewService,
    forecasts: ForecastService,
  },
  'aggregator-sync': {
    aggregatorLinks: AggregatorLinkService,
    aggregatorSyncs: AggregatorSyncService,
    institutions: InstitutionService,
    webhooks: WebhookService,
  },
  'feed-sync': {
    feedLinks: FeedLinkService,
    feedBankAccounts: FeedBankAccountService,
    feedSyncs: FeedSyncService,
  },
  notices: {
    feed: FeedService,
    ownWebhooks: OwnWebhookService,
    deliveries: DeliveryService,
  },
} as const

type AllServices = (typeof services)['identity'] &
  (typeof services)['ledger'] &
  (typeof services)['budgeting'] &
  (typeof services)['aggregator-sync'] &
  (typeof services)['feed-sync'] &
  (typeof services)['notices']

/** Stubs of RPCs; an RPC without a stub fails as unimplemented. */
export type Stubs = { [Name in keyof AllServices]?: Partial<ServiceImpl<AllServices[Name]>> }

/** One call that reached a service. */
export interface Received {
  rpc: string
  message: unknown
  header: Headers
  caller: Caller | null
}

/** The test user: the stub of identity returns this for its session and API key. */
export const alice = {
  accountId: 'acct_01hzzzzzzzzzzzzzzzzzzzzzzz',
  userId: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
  loginId: 'lgn_01hzzzzzzzzzzzzzzzzzzzzzzz',
  timezone: 'America/Chicago',
  locale: 'en_US',
  subscriptionActive: true,
  sessionId: 'sess_01hzzzzzzzzzzzzzzzzzzzzzzz',
}

export const apiKey = {
  apiKeyId: 'key_01hzzzzzzzzzzzzzzzzzzzzzzz',
  secret: 'coffer_secret_of_alice',
}

const identity: NonNullable<Stubs['signIn']> = {
  verifySession: ({ sessionToken }) => {
    if (sessionToken === 'unpaid') return { credential: { ...alice, subscriptionActive: false } }
    if (sessionToken === 'pending') return { credential: { ...alice, mfaPending: true } }
    if (sessionToken !== 'session-of-alice') throw unauthenticated('SESSION_ENDED')
    return { credential: alice }
  },
  verifyApiKey: ({ apiKeyId, secret }) => {
    if (secret === 'reader') return { credential: { ...alice, isReadOnly: true } }
    const isAlice = apiKeyId === apiKey.apiKeyId && secret === apiKey.secret
    if (!isAlice) throw unauthenticated('API_KEY_UNKNOWN')
    return { credential: alice }
  },
}

/** Returns stubs that count attempts in windows of a minute. */
function countAttempts(clock: () => Date): NonNullable<Stubs['attempts']> {
  const windows = new Map<string, { attempts: number; endsMs: number }>()
  return {
    admitAttempt: ({ network, max }) => {
      const now = clock().getTime()
      let window = windows.get(network)
      if (!window || window.endsMs <= now || window.attempts === 0) {
        window = { attempts: 0, endsMs: now + 60_000 }
      }
      windows.set(network, window)
      if (window.attempts >= max) {
        const retryAfterSeconds = Math.ceil((window.endsMs - now) / 1000)
        throw refused('too many attempts', { status: 429, retryAfterSeconds })
      }
      window.attempts += 1
      return { endsAt: timestampFromMs(window.endsMs) }
    },
    releaseAttempt: ({ network, endsAt }) => {
      const window = windows.get(network)
      if (window && endsAt && window.endsMs === timestampMs(endsAt)) window.attempts -= 1
      return {}
    },
  }
}

/** Refuses the callers of other issuers, like a process with other keys. */
const refuseStrangers: Interceptor = (next) => (request) => {
  const issuer = request.contextValues.get(callerKey)?.caller.issuer
  if (issuer !== 'gateway') throw callerRefused('caller token is not valid')
  return next(request)
}

/** A mesh of stub services, which one gateway after the other uses with stubs of its own. */
export interface StubMesh {
  mesh: Mesh
  signer: Signer
  /** Replaces the stubs. Returns the calls from now on. */
  use: (stubs: Stubs) => Received[]
}

type AnyStub = (request: unknown, context: HandlerContext) => unknown

/** Returns a mesh of stub services in this process, behind the real check of callers. */
export function stubMesh(clock: () => Date): StubMesh {
  const { privateKey } = generateKeyPairSync('ed25519')
  let received: Received[] = []
  let all: Record<string, Record<string, AnyStub | undefined> | undefined> = {}
  const record: Interceptor = (next) => (request) => {
    const { method, message, header, contextValues } = request
    const caller = contextValues.get(callerKey)?.caller ?? null
    const call = { rpc: method.name, message, header: new Headers(header), caller }
    // Tests read the calls of a handler; the rate limit calls before and after it.
    if (request.service !== AttemptService) received.push(call)
    return next(request)
  }
  const verify = () => Promise.reject(new Error('a call has no caller'))
  const interceptors = [refuseStrangers, authorize({ verify, clock, services: [] }), record]
  const stubOf = (part: string, rpc: string): AnyStub => {
    return (request, context) => {
      const stub = all[part]?.[rpc]
      if (stub) return stub(request, context)
      throw new ConnectError(`${rpc} has no stub`, Code.Unimplemented)
    }
  }
  const hosted = Object.entries(services).map(([name, parts]) => {
    const routes = (router: ConnectRouter) => {
      for (const [part, service] of Object.entries(parts)) {
        const names: string[] = service.methods.map(({ localName }: DescMethod) => localName)
        const stubs = Object.fromEntries(names.map((rpc) => [rpc, stubOf(part, rpc)]))
        router.service(service, stubs as never)
      }
    }
    return [name, { routes, interceptors }]
  })
  const mesh = createMesh({ hosted: Object.fromEntries(hosted), urls: {} })
  const use = (stubs: Stubs) => {
    received = []
    const completed: Stubs = {
      ...stubs,
      attempts: { ...countAttempts(clock), ...stubs.attempts },
      bankAccounts: { describeBankAccount: () => ({}), ...stubs.bankAccounts },
      signIn: { ...identity, ...stubs.signIn },
    }
    all = completed as typeof all
    return received
  }
  return { mesh, signer: { issuer: 'gateway', key: privateKey }, use }
}
