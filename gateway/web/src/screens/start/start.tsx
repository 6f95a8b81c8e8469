import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileUp, Landmark, type LucideIcon, PencilLine, Rss } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery, configQuery } from '../../api/account-queries.ts'
import { basePath } from '../../base-path.ts'
import { Card, Screen } from '../../controls/screen.tsx'
import { startWords } from '../../words/start.ts'
import { AccountForm, type Way } from './account-form.tsx'
import styles from './start.module.css'

/** Offers the ways to start: by hand, by files, by a bank connection, or by a feed. */
export function Start() {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const [way, setWay] = useState<Way>('hand')
  const isFirst = accounts.length === 0
  const title = isFirst ? startWords.title : startWords.titleFurther
  const text = isFirst ? startWords.text : startWords.textFurther
  return (
    <Screen title={title} help="first-day" isNarrow>
      {isFirst && <p>{startWords.begin}</p>}
      <Card>
        <Ways way={way} choose={setWay} />
        <p>{way === 'hand' ? text : startWords.fileNext}</p>
        <AccountForm way={way} />
      </Card>
    </Screen>
  )
}

function Ways({ way, choose }: { way: Way; choose: (way: Way) => void }) {
  const { data: config } = useQuery(configQuery)
  const own: [Way, LucideIcon, string, string][] = [
    ['hand', PencilLine, startWords.hand, startWords.handText],
    ['file', FileUp, startWords.file, startWords.fileText],
  ]
  return (
    <div className={styles.ways}>
      {config?.aggregatorEnabled && (
        <a className={styles.way} href={`${basePath}links/connect`}>
          <strong>
            <Landmark size={18} aria-hidden /> {startWords.plaid}
          </strong>
          <span>{startWords.plaidText}</span>
        </a>
      )}
      {own
        .filter(([one]) => one === 'hand' || config?.uploadsEnabled)
        .map(([one, Icon, name, text]) => (
          <button
            key={one}
            type="button"
            className={styles.way}
            aria-pressed={one === way}
            onClick={() => choose(one)}
          >
            <strong>
              <Icon size={18} aria-hidden /> {name}
            </strong>
            <span>{text}</span>
          </button>
        ))}
      {config?.feedEnabled && (
        <Link className={styles.way} to="/links/feed">
          <strong>
            <Rss size={18} aria-hidden /> {startWords.feed}
          </strong>
          <span>{startWords.feedText}</span>
        </Link>
      )}
    </div>
  )
}
