import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconSearch, IconTag } from "../../ui/icons";
import { BadgeLink } from "../../ui/links";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { tagsQuery } from "./queries";
import classes from "./TagsPage.module.css";

/** From so many tags on, a search is quicker than the eye. */
const MANY = 25;

/** Tags that are drawn at once. */
const MOST = 400;

/** TagsPage shows the tags in use; each leads to the contacts that have it. */
export function TagsPage() {
  const t = useT();
  const tags = useQuery(tagsQuery);
  const [wanted, setWanted] = useState("");
  const found = tags.data?.filter((tag) => tag.toLowerCase().includes(wanted.toLowerCase())) ?? [];
  const more = found.length - MOST;
  return (
    <Page title={t("nav.tags")} description={t("tags.text")}>
      <Failure error={tags.error} retry={() => void tags.refetch()} />
      {tags.data && tags.data.length >= MANY ? <SearchField label={t("tags.search")} value={wanted} onChange={(text) => setWanted(text ?? "")} /> : null}
      {tags.error ? null : (
        <div className="panel">
          {tags.isPending ? (
            <Group p="md" gap="xs" role="status" aria-label={t("shell.loading")}>
              {Array.from({ length: 6 }, (_, i) => (
                <Skeleton key={i} h={32} w={90} radius="xl" />
              ))}
            </Group>
          ) : null}
          {tags.data?.length === 0 ? <Empty icon={IconTag} title={t("tags.none")} text={t("tags.noneText")} /> : null}
          {tags.data?.length && found.length === 0 ? <Empty icon={IconSearch} title={t("tags.noneFound")} text={t("tags.noneFoundText")} /> : null}
          {found.length ? (
            <Group component="ul" className={classes.tags} gap="xs" p="md">
              {found.slice(0, MOST).map((tag) => (
                <li key={tag}>
                  <BadgeLink to="/contacts" search={{ tags: tag }} variant="default" size="lg" tt="none" fw={500} className={classes.tag}>
                    {tag}
                  </BadgeLink>
                </li>
              ))}
            </Group>
          ) : null}
          {more > 0 ? (
            <Text c="dimmed" size="sm" px="md" pb="md">
              {t.count("tags.more", more)}
            </Text>
          ) : null}
        </div>
      )}
    </Page>
  );
}
