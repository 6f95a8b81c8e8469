import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { bankAccountsQuery, configQuery, linksQuery } from '../../api/account-queries.ts'
import { basePath } from '../../base-path.ts'
import { Asked } from '../../controls/asked.tsx'
import rows from '../../controls/rows.module.css'
import { Empty, Screen } from '../../controls/screen.tsx'
import { accountWords as words } from '../../words/accounts.ts'
import { LinkCard } from './link-card.tsx'
import { PendingFeeds } from './pending-feeds.tsx'

/** All connections with their bank accounts. */
export function Accounts() {
  const links = useQuery(linksQuery)
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: config } = useQuery(configQuery)
  const actions = (
    <div className={rows.toolbar}>
      {config?.aggregatorEnabled && <a href={`${basePath}links/connect`}>{words.byBank}</a>}
      {config?.feedEnabled && <Link to="/links/feed">{words.byFeed}</Link>}
      <Link to="/setup" className={rows.action}>
        <Plus size={18} aria-hidden />
        {words.add}
      </Link>
    </div>
  )
  return (
    <Screen title={words.title} actions={actions} help="cards" isNarrow>
      {config?.feedEnabled && <PendingFeeds />}
      <Asked query={links} lines={8}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{words.none}</Empty>
          ) : (
            all.map((link) => (
              <LinkCard
                key={link.linkId}
                link={link}
                accounts={accounts.filter(({ linkId }) => linkId === link.linkId)}
              />
            ))
          )
        }
      </Asked>
    </Screen>
  )
}
