import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { signInSearchOf, textOf } from './search.ts'
import { MissingPage } from './shell/faulty-pages.tsx'

export const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: signInSearchOf,
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

const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/login/forgot',
  component: lazyRouteComponent(() => import('./screens/sign-in/forgotten.tsx'), 'Forgotten'),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/login/new-password',
  component: lazyRouteComponent(() => import('./screens/sign-in/new-password.tsx'), 'NewPassword'),
})

const verification = createRoute({
  getParentRoute: () => root,
  path: '/login/verify',
  component: lazyRouteComponent(() => import('./screens/sign-in/verification.tsx'), 'Verification'),
})

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: lazyRouteComponent(() => import('./screens/sign-in/register.tsx'), 'Register'),
})

/** Screens that need no session. */
export const gateRoutes = [
  signIn,
  secondFactor,
  forgotten,
  newPassword,
  verification,
  register,
] as const
