import type { PageRoute } from './pages.ts'

/** The page at `/` of a server without a build of the web app. */
export const landingPage: PageRoute = {
  method: 'GET',
  path: '/',
  handler: ({ words: { landing } }) => ({
    status: 200,
    page: {
      title: landing.title,
      paragraphs: [landing.what, landing.programs],
      links: [
        {
          label: landing.guide,
          url: 'api/reference/first-ten-minutes',
          text: landing.guideText,
        },
        { label: landing.reference, url: 'api/reference', text: landing.referenceText },
        { label: landing.document, url: 'api/openapi.json', text: landing.documentText },
        { label: landing.health, url: 'api/health', text: landing.healthText },
      ],
    },
  }),
}
