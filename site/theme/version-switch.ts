import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';
import type { ThemeSettings } from '../src/config.ts';
import type { SiteVersion } from '../src/versions.ts';

/** The version of this copy, and links to the others. Works without a script, except that it then misses later versions. */
export const versionSwitch = defineComponent({
  name: 'VersionSwitch',
  setup() {
    const { rootPath, version, versions: built } = useData<ThemeSettings>().theme.value.site;
    const versions = ref<readonly SiteVersion[]>(built);
    // A copy of an older version learns here about later ones
    onMounted(async () => {
      const response = await fetch(`${rootPath}versions.json`).catch(() => undefined);
      if (response?.ok) versions.value = (await response.json()) as SiteVersion[];
    });
    return () => {
      const listed = versions.value.map(({ name, path }) => ({ name, path }));
      const isReleased = listed.some(({ name }) => name === version);
      const items = listed.map(({ name, path }) => {
        const current = name === version ? { 'aria-current': 'true' as const } : {};
        // Another copy of the site, which the router of this one does not know
        return h('li', h('a', { href: rootPath + path, target: '_self', ...current }, name));
      });
      const note = isReleased ? [] : [h('li', `${version}: this page`)];
      const none = listed.length === 0 ? [h('li', 'Nothing is released yet')] : [];
      return h('details', { class: 'version-switch' }, [
        h('summary', { 'aria-label': `Version ${version}` }, version),
        h('ul', [...note, ...items, ...none]),
      ]);
    };
  },
});
