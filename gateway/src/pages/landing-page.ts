import type { PageRoute } from './pages.ts'

const guide = {
  label: 'First ten minutes',
  url: 'api/reference/first-ten-minutes',
  text: 'from nothing to an integration',
}

const reference = {
  label: 'API reference',
  url: 'api/reference',
  text: 'every operation with its fields, and guides',
}

const document = {
  label: 'OpenAPI document',
  url: 'api/openapi.json',
  text: 'the same for programs, such as generators of clients',
}

const health = {
  label: 'Health',
  url: 'api/health',
  text: 'whether the server and its databases work',
}

/** The page at `/` of a server without the build of its app. */
export const landingPage: PageRoute = {
  method: 'GET',
  path: '/',
  handler: () => ({
    status: 200,
    page: {
      title: 'Coffer: personal budgeting',
      paragraphs: [
        'This server keeps budgets: bank accounts, their transactions, and the envelopes that ' +
          'expenses and goals are paid from.',
        'Its app for browsers is not built here. Programs use the REST API, with an API key or a ' +
          'session.',
      ],
      links: [guide, reference, document, health],
    },
  }),
}
