import { useQueries, useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bankAccountsQuery, configQuery, linksQuery } from '../../api/account-queries.ts'
import { listedStep, type Upload, uploadsQuery } from '../../api/import-queries.ts'
import { basePath } from '../../base-path.ts'
import { Asked } from '../../controls/asked.tsx'
import { MoreButton } from '../../controls/more-button.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { useAccountNames } from '../../shell/distinct-names.ts'
import { importWords as words } from '../../words/imports.ts'
import { Resume } from '../start/resume.tsx'
import { FileChoice } from './file-choice.tsx'
import { Unfinished } from './stored/unfinished.tsx'
import { UploadGroups } from './upload-groups.tsx'
import { UploadRow } from './upload-row.tsx'

/** Screen to import files, to list earlier imports with their results, and to undo them. */
export function Imports() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={words.title} help="files" isNarrow>
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

function Parts({ bankAccountId }: { bankAccountId: string }) {
  const { data: config } = useQuery(configQuery)
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: links } = useQuery(linksQuery)
  const uploads = useQuery(uploadsQuery(bankAccountId))
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  const link = links?.find((one) => one.linkId === account?.linkId)
  if (config?.uploadsEnabled === false) return <p>{words.off}</p>
  return (
    <>
      {link === undefined || link.linkType === 'manual' ? (
        <FileChoice bankAccountId={bankAccountId} />
      ) : (
        <p>{words.notManual}</p>
      )}
      <UploadGroups />
      <ImportedFiles bankAccountId={bankAccountId} />
      {uploads.data?.some(({ status }) => status === 'complete') && (
        <Resume bankAccountId={bankAccountId} />
      )}
    </>
  )
}

/** The imported files of all manual bank accounts, newest first, each with its bank account. */
function ImportedFiles({ bankAccountId }: { bankAccountId: string }) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: links = [] } = useQuery(linksQuery)
  const names = useAccountNames()
  const [count, setCount] = useState(listedStep)
  const chosen = useQuery(uploadsQuery(bankAccountId, count))
  const isByHand = (linkId: string) =>
    links.some((one) => one.linkId === linkId && one.linkType === 'manual')
  const ids = accounts
    .filter((one) => one.bankAccountId !== bankAccountId && isByHand(one.linkId))
    .map((one) => one.bankAccountId)
  const others = useQueries({ queries: ids.map((id) => uploadsQuery(id, count)) })
  const all = newestFirst([chosen, ...others])
  const more = {
    hasNextPage: all.length > count,
    isFetchingNextPage: [chosen, ...others].some(({ isPlaceholderData }) => isPlaceholderData),
    fetchNextPage: () => setCount(count + listedStep),
  }
  return (
    <>
      <Unfinished bankAccountIds={[bankAccountId, ...ids]} />
      <Card title={words.list}>
        <Asked query={chosen}>
          {() =>
            all.length === 0 ? (
              <p className={rows.soft}>
                {words.none}{' '}
                <a href={`${basePath}sample.csv`} download>
                  {words.sample}
                </a>
              </p>
            ) : (
              <ul className={rows.rows}>
                {all.slice(0, count).map((one) => (
                  <UploadRow
                    key={one.transactionUploadId}
                    upload={one}
                    account={names.get(one.bankAccountId) ?? ''}
                  />
                ))}
              </ul>
            )
          }
        </Asked>
        <MoreButton query={more}>{words.more}</MoreButton>
      </Card>
    </>
  )
}

/** Merges the uploads of several bank accounts, newest first. */
function newestFirst(lists: { data?: Upload[] | undefined }[]): Upload[] {
  return lists
    .flatMap(({ data = [] }) => data)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
}
