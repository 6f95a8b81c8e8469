import type { HelpPage } from './help-page.ts'

/** The pages in German. The build puts them into this file (build/help-pages.ts). */
export const pages: HelpPage[] = []
