import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { meQuery } from './api/account-queries.ts'
import { basePath } from './api/client.ts'
import { isSignedOut } from './api/faults.ts'
import { queries } from './api/query-client.ts'
import type { Filters } from './api/transaction-queries.ts'
import { BrokenPage, MissingPage } from './shell/faulty-pages.tsx'
import { Frame } from './shell/frame.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage })

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Reads the filters of transactions from the URL; whatever is none of them is left out. */
function filtersOf(search: Record<string, unknown>): Filters {
  const sources = ['aggregator', 'upload', 'manual', 'feed'] as const
  return {
    search: textOf(search.search),
    from: textOf(search.from),
    to: textOf(search.to),
    spendingId: textOf(search.spendingId),
    source: sources.find((one) => one === search.source),
    pending: typeof search.pending === 'boolean' ? search.pending : undefined,
    deleted: search.deleted === true || undefined,
  }
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search): { next?: string | undefined; ended?: boolean | undefined } => ({
    next: textOf(search.next),
    ended: search.ended === true || undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/sign-in/sign-in.tsx'), 'SignIn'),
})

const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/login/multifactor',
  validateSearch: (search): { next?: string | undefined } => ({ next: textOf(search.next) }),
  component: lazyRouteComponent(
    () => import('./screens/sign-in/second-factor.tsx'),
    'SecondFactor',
  ),
})

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: lazyRouteComponent(() => import('./screens/sign-in/register.tsx'), 'Register'),
})

/** All screens of a person who is signed in. The chosen bank account stays in the URL. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  validateSearch: (search): { account?: string | undefined } => ({
    account: textOf(search.account),
  }),
  search: { middlewares: [retainSearchParams(['account'])] },
  beforeLoad: async ({ location }) => {
    const next = location.href
    const me = await queries.ensureQueryData(meQuery).catch((error: unknown) => {
      if (isSignedOut(error)) throw redirect({ to: '/login', search: { next } })
      throw error
    })
    if (me.mfaPending) throw redirect({ to: '/login/multifactor', search: { next } })
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

const setup = createRoute({
  getParentRoute: () => frame,
  path: '/setup',
  component: lazyRouteComponent(() => import('./screens/start/start.tsx'), 'Start'),
})

const more = createRoute({
  getParentRoute: () => frame,
  path: '/more',
  component: lazyRouteComponent(() => import('./screens/more/more.tsx'), 'More'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    secondFactor,
    register,
    frame.addChildren([
      home,
      transactions,
      transaction,
      envelopes,
      envelope,
      schedules,
      setup,
      more,
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
