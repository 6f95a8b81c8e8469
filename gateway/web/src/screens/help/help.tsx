import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../controls/asked.tsx'
import { TextField } from '../../controls/field.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { faultWords } from '../../words/faults.ts'
import { helpWords as words } from '../../words/frame.ts'
import type { LanguageCode } from '../../words/languages/languages.ts'
import { language } from '../../words/languages/texts.ts'
import { Article, Parts } from './article.tsx'
import styles from './help.module.css'
import type { HelpPage } from './help-page.ts'
import { findPages } from './page-search.ts'

const pagesIn: Record<LanguageCode, () => Promise<{ pages: HelpPage[] }>> = {
  en: () => import('./pages-en.ts'),
  de: () => import('./pages-de.ts'),
}

/**
 * The help pages in the language of the app: an immutable chunk of the build, so never refetched.
 */
const helpQuery = {
  queryKey: ['help'],
  queryFn: async () => (await pagesIn[language]()).pages,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
} as const

const route = getRouteApi('/frame/help/$page')

/** The table of contents of the help, with a search. */
export function Help() {
  const pages = useQuery(helpQuery)
  const [search, setSearch] = useState('')
  const found = findPages(pages.data ?? [], search)
  return (
    <Screen title={words.title} isNarrow>
      <TextField
        label={words.search}
        type="search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Card>
        <Asked query={pages} lines={8}>
          {() => (
            <ul className={rows.rows}>
              {found.length === 0 && (
                <li role="status" className={rows.soft}>
                  {words.noneFound}
                </li>
              )}
              {found.map(({ name, title, about }) => (
                <li key={name} className={rows.row}>
                  <div>
                    <Link data-line to="/help/$page" params={{ page: name }} className={rows.name}>
                      {title}
                    </Link>
                    <p className={rows.soft}>
                      <Parts parts={about} />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Asked>
      </Card>
      <p className={rows.soft}>{words.keys}</p>
    </Screen>
  )
}

/** A page of the help, with a link to the next one. */
export function HelpArticle() {
  const { page } = route.useParams()
  const pages = useQuery(helpQuery)
  const at = pages.data?.findIndex(({ name }) => name === page) ?? -1
  const found = pages.data?.[at]
  const next = pages.data?.[at + 1]
  return (
    <Screen
      key={found?.name}
      title={found?.title ?? words.title}
      actions={<Link to="/help">{words.all}</Link>}
      isNarrow
    >
      <Asked query={pages} lines={8}>
        {() => (found ? <Article page={found} /> : <p>{faultWords.notFound}</p>)}
      </Asked>
      {found && next && (
        <p className={styles.next}>
          {words.next}{' '}
          <Link to="/help/$page" params={{ page: next.name }}>
            {next.title}
          </Link>
        </p>
      )}
    </Screen>
  )
}
