import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { projectsQuery } from '../session/session-queries.ts';
import { appTexts } from '../texts/app.ts';
import classes from './shell.module.css';

/** Names the project, and leads to the others. */
export function ProjectSwitcher({ projectID }: { readonly projectID: string | undefined }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const name = projects.find(({ id }) => id === projectID)?.name ?? appTexts.project;
  if (projects.length === 0) return null;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          className={classes.project ?? ''}
          rightSection={<Icon name="down" size={14} />}
          aria-label={`${appTexts.switchProject}: ${name}`}
        >
          <bdi>{name}</bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {projects.map((project) => (
          <Menu.Item
            key={project.id}
            component={Link}
            to={`/projects/${project.id}`}
            aria-current={project.id === projectID}
            rightSection={project.id === projectID ? <Icon name="check" size={14} /> : undefined}
          >
            <bdi>{project.name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
