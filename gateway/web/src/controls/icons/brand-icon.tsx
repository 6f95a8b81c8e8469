import { useQuery } from '@tanstack/react-query'
import { iconQuery } from '../../api/icon-queries.ts'
import styles from './brand-icon.module.css'

/** The icon of the brand that a payment names, if the server knows it. */
export function BrandIcon({ name }: { name: string }) {
  const { data: icon } = useQuery(iconQuery(name))
  return icon ? <img src={icon} alt="" width={24} height={24} className={styles.icon} /> : null
}
