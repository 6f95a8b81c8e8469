import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { meQuery } from './api/account-queries.ts'
import { isSignedOut } from './api/faults.ts'
import { queries } from './api/query-client.ts'
import { basePath } from './base-path.ts'
import { gateRoutes, root } from './gate-routes.tsx'
import { currentPreferences } from './preferences/preferences.ts'
import { filtersOf, textOf } from './search.ts'
import { finishSignOut } from './shell/due-sign-out.ts'
import { BrokenPage, MissingPage } from './shell/faulty-pages.tsx'
import { Frame } from './shell/frame.tsx'

/**
 * The parent of all screens of a signed-in user. It keeps the chosen bank account in the URL when
 * another screen is opened.
 */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  validateSearch: (search): { account?: string | undefined } => ({
    account: textOf(search.account),
  }),
  search: { middlewares: [retainSearchParams(['account'])] },
  beforeLoad: async ({ location }) => {
    const next = location.href
    if (!(await finishSignOut())) throw redirect({ to: '/login', search: {} })
    const me = await queries.ensureQueryData(meQuery).catch((error: unknown) => {
      const ended = currentPreferences().isSignedIn ? 'elsewhere' : undefined
      if (isSignedOut(error)) throw redirect({ to: '/login', search: { next, ended } })
      throw error
    })
    if (me.mfaPending) throw redirect({ to: '/login/multifactor', search: { next } })
    const isPayable = /^\/(account|settings)/.test(location.pathname)
    if (me.nextUrl === '/account/subscribe' && !isPayable) throw redirect({ to: me.nextUrl })
    return { me }
  },
  component: Frame,
})

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/home/home.tsx'), 'Home'),
})

const transactions = createRoute({
  getParentRoute: () => frame,
  path: '/transactions',
  validateSearch: filtersOf,
  component: lazyRouteComponent(
    () => import('./screens/transactions/transactions.tsx'),
    'Transactions',
  ),
})

const transaction = createRoute({
  getParentRoute: () => frame,
  path: '/transactions/$transactionId',
  component: lazyRouteComponent(
    () => import('./screens/transactions/transaction-detail.tsx'),
    'TransactionDetail',
  ),
})

const envelopes = createRoute({
  getParentRoute: () => frame,
  path: '/envelopes',
  component: lazyRouteComponent(() => import('./screens/envelopes/envelopes.tsx'), 'Envelopes'),
})

const envelope = createRoute({
  getParentRoute: () => frame,
  path: '/envelopes/$spendingId',
  component: lazyRouteComponent(
    () => import('./screens/envelopes/envelope-detail.tsx'),
    'EnvelopeDetail',
  ),
})

const schedules = createRoute({
  getParentRoute: () => frame,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./screens/schedules/schedules.tsx'), 'Schedules'),
})

const history = createRoute({
  getParentRoute: () => frame,
  path: '/history',
  component: lazyRouteComponent(() => import('./screens/history/history-screen.tsx'), 'Changes'),
})

const forecast = createRoute({
  getParentRoute: () => frame,
  path: '/forecast',
  component: lazyRouteComponent(() => import('./screens/forecast/forecast.tsx'), 'Forecast'),
})

const imports = createRoute({
  getParentRoute: () => frame,
  path: '/imports',
  component: lazyRouteComponent(() => import('./screens/imports/imports.tsx'), 'Imports'),
})

const csvImport = createRoute({
  getParentRoute: () => frame,
  path: '/imports/$transactionImportId',
  component: lazyRouteComponent(() => import('./screens/imports/csv-import.tsx'), 'CsvImport'),
})

const rules = createRoute({
  getParentRoute: () => frame,
  path: '/rules',
  validateSearch: (search): { like?: string | undefined } => ({ like: textOf(search.like) }),
  component: lazyRouteComponent(() => import('./screens/rules/rules.tsx'), 'Rules'),
})

const tags = createRoute({
  getParentRoute: () => frame,
  path: '/tags',
  component: lazyRouteComponent(() => import('./screens/tags/tags.tsx'), 'Tags'),
})

const accounts = createRoute({
  getParentRoute: () => frame,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./screens/accounts/accounts.tsx'), 'Accounts'),
})

const feedLink = createRoute({
  getParentRoute: () => frame,
  path: '/links/feed',
  validateSearch: (search): { feedLinkId?: string | undefined } => ({
    feedLinkId: textOf(search.feedLinkId),
  }),
  component: lazyRouteComponent(() => import('./screens/accounts/feed-link.tsx'), 'FeedLink'),
})

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/settings/settings.tsx'), 'Settings'),
})

const licences = createRoute({
  getParentRoute: () => frame,
  path: '/licences',
  component: lazyRouteComponent(() => import('./screens/settings/licences.tsx'), 'Licences'),
})

const webhooks = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks',
  component: lazyRouteComponent(
    () => import('./screens/settings/webhooks/webhooks.tsx'),
    'Webhooks',
  ),
})

const webhook = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(
    () => import('./screens/settings/webhooks/webhook-detail.tsx'),
    'WebhookDetail',
  ),
})

const subscribe = createRoute({
  getParentRoute: () => frame,
  path: '/account/subscribe',
  component: lazyRouteComponent(() => import('./screens/billing/subscribe.tsx'), 'Subscribe'),
})

const subscribed = createRoute({
  getParentRoute: () => frame,
  path: '/account/subscribe/after',
  validateSearch: (search): { session?: string | undefined } => ({
    session: textOf(search.session),
  }),
  component: lazyRouteComponent(() => import('./screens/billing/subscribed.tsx'), 'Subscribed'),
})

const setup = createRoute({
  getParentRoute: () => frame,
  path: '/setup',
  component: lazyRouteComponent(() => import('./screens/start/start.tsx'), 'Start'),
})

const plan = createRoute({
  getParentRoute: () => frame,
  path: '/setup/plan',
  component: lazyRouteComponent(() => import('./screens/start/plan.tsx'), 'Plan'),
})

const help = createRoute({
  getParentRoute: () => frame,
  path: '/help',
  component: lazyRouteComponent(() => import('./screens/help/help.tsx'), 'Help'),
})

const helpArticle = createRoute({
  getParentRoute: () => frame,
  path: '/help/$page',
  component: lazyRouteComponent(() => import('./screens/help/help.tsx'), 'HelpArticle'),
})

const more = createRoute({
  getParentRoute: () => frame,
  path: '/more',
  component: lazyRouteComponent(() => import('./screens/more/more.tsx'), 'More'),
})

const missing = createRoute({ getParentRoute: () => frame, path: '$', component: MissingPage })

export const router = createRouter({
  routeTree: root.addChildren([
    ...gateRoutes,
    frame.addChildren([
      home,
      transactions,
      transaction,
      envelopes,
      envelope,
      schedules,
      forecast,
      history,
      imports,
      csvImport,
      rules,
      tags,
      accounts,
      feedLink,
      settings,
      licences,
      webhooks,
      webhook,
      subscribe,
      subscribed,
      setup,
      plan,
      help,
      helpArticle,
      more,
      missing,
    ]),
  ]),
  basepath: basePath,
  defaultPreload: 'intent',
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
