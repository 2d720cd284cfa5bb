/** Builds the site from the pages that tools/docs wrote beside this file. `site.json` has the base, the folder and the sidebar. */
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import site from "./site.json" with { type: "json" };

export default defineConfig({
  base: site.base,
  outDir: site.outDir,
  trailingSlash: "always",
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "cloud-platform-operator",
      description: site.description,
      sidebar: site.sidebar,
      customCss: ["./src/site.css"],
      components: { SocialIcons: "./src/components/Version.astro" },
      expressiveCode: { styleOverrides: { codeFontSize: "0.8125rem", codeLineHeight: "1.6" } },
      credits: false,
    }),
  ],
});
