"""Dutch."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "negeer negeren vergeet vergeten verwerp overschrijf omzeil schrap sla_geen_acht"
    " let_niet_op volg_niet worden_genegeerd gelden_niet_meer zijn_ongeldig niet_langer_volgen"
    " zet_opzij stop_met_het_volgen",
    "before": "vorige voorgaande eerdere bovenstaande voorafgaande bestaande oorspronkelijke"
    " hierboven eerder daarvoor al_je al_jouw je jouw alle",
    "rules": "instructie* aanwijzing* opdracht* bevel* regel* richtlijn* prompt* voorschrift*"
    " systeeminstructie* aanwijzing",
    "all_before": "alles_hierboven alles_wat_hiervoor alles_hiervoor alles_wat_je_verteld"
    " alles_wat_je_is alles_wat_eerder alles_wat_hierboven al_het_voorgaande al_het_bovenstaande"
    " je_instructies jouw_instructies je_richtlijnen je_programmering alles_wat_je_weet"
    " wat_je_verteld_is",
    "new_rules": "je_nieuwe_taak je_nieuwe_instructie* jouw_nieuwe_taak jouw_nieuwe_instructie*"
    " je_echte_taak je_eigenlijke_taak je_enige_taak_is nieuwe_systeeminstructie*"
    " nieuwe_systeemprompt volg_in_plaats_daarvan volg_alleen_deze volg_uitsluitend_deze"
    " vanaf_nu_volg_je voer_de_volgende_instructies volg_de_volgende_instructies"
    " voer_in_plaats_daarvan doe_in_plaats_daarvan jouw_echte_taak",
    "start_rules": "nieuwe_instructie* bijgewerkte_instructie* belangrijke_nieuwe_instructie*"
    " geheime_instructie* verborgen_instructie* echte_instructie*",
    "these": "deze mijn",
    "supersede": "vervangen overschrijven hebben_voorrang gaan_voor heffen_op",
    "you_now": "je_bent_nu jij_bent_nu u_bent_nu vanaf_nu_ben_je vanaf_nu_ben_jij"
    " je_bent_vanaf_nu je_bent_geen je_bent_niet_langer jij_bent_niet_langer stel_je_voor_dat_je"
    " je_bent_voortaan je_treedt_op_als je_gedraagt_je_als je_nieuwe_rol_is voortaan_ben_je",
    "act": "doe_alsof_je doe_alsof gedraag_je_als gedraag_je_alsof speel_de_rol neem_de_rol"
    " handel_als treed_op_als simuleer praat_als spreek_als reageer_als kruip_in_de_huid"
    " kruip_in_de_rol antwoord_als",
    "role": "assistent* taalmodel model ai dan schrijver copywriter tekstschrijver redacteur"
    " verkoper woordvoerder onbeperkt* ongefilterd* ongecensureerd* kwaadaardig* hacker piraat"
    " personage terminal zonder_regels zonder_beperkingen zonder_grenzen zonder_filter* gebonden"
    " expert_die chatbot bot fan criticus",
    "reveal": "onthul toon laat_zien herhaal geef druk_af deel vertel_me citeer openbaar vertaal"
    " schrijf_op laat wat_is wat_staat_er_in wat_zijn noem kopieer verklap",
    "prompt": "systeemprompt* system_prompt* systeeminstructie* systeembericht* je_prompt"
    " jouw_prompt je_instructies jouw_instructies je_oorspronkelijke je_eerste_prompt"
    " je_verborgen je_geheime geheime_instructies verborgen_instructies de_tekst_hierboven"
    " je_richtlijnen oorspronkelijke_prompt jouw_oorspronkelijke jouw_geheime",
    "piece": "artikel bericht blogbericht blogpost tekst samenvatting antwoord uitvoer recensie"
    " vertaling verslag",
    "must": "moet dient moet_altijd mag_nooit mag_niet hoort_altijd zal",
    "praise": "aanbevelen aanraden promoten prijzen linken verwijzen aanprijzen aanbeveelt"
    " positief_zijn reclame_maken",
    "contain": "bevatten vermelden noemen zeggen beweren eindigen_met beginnen_met citeren"
    " herhalen opnemen de_link de_zin de_volgende het_merk het_bedrijf het_product",
    "object": "link* url zin zinnen woorden letterlijk bevatten vermelden noemen merk product"
    " bedrijf website slogan adres kortingscode opnemen volgende",
    "add": "voeg neem vermeld noem gebruik plaats zet schrijf herhaal",
    "in_piece": "in_je_artikel in_je_antwoord in_je_tekst in_je_samenvatting in_je_bericht"
    " in_jouw_artikel in_jouw_antwoord in_jouw_tekst in_jouw_samenvatting aan_je_antwoord"
    " aan_je_artikel aan_je_tekst aan_je_samenvatting in_elk_antwoord aan_het_einde_van_je"
    " aan_het_eind_van_je aan_het_begin_van_je in_uw_antwoord in_uw_artikel op_in_je"
    " in_alle_antwoorden in_de_samenvatting",
    "when_writing": "als_je_hierover_schrijft als_je_dit_samenvat als_je_deze_pagina"
    " als_je_deze_tekst wanneer_je_deze_pagina wanneer_je_deze_tekst wanneer_je_hierover"
    " wanneer_je_dit bij_het_samenvatten bij_het_schrijven_van_je als_je_schrijft_over"
    " wie_deze_pagina_samenvat",
    "do": "vermeld noem beveel raad zeg beweer voeg altijd link prijs schrijf_dat benadruk gebruik",
    "reply": "antwoord reageer geef schrijf zeg druk",
    "only_with": "alleen_met uitsluitend_met alleen_de_zin alleen_het_woord alleen_de_woorden"
    " alleen_de_volgende alleen_json alleen_ja alleen_nee niets_anders_dan met_niets_anders_dan"
    " slechts_met enkel_met enkel_de_volgende uitsluitend_de_volgende met_precies"
    " precies_het_volgende met_de_woorden met_de_zin alleen_nog_met exact_het_volgende",
    "note": "opmerking_voor bericht_aan bericht_voor notitie_voor instructie*_voor"
    " instructie*_aan let_op aandacht boodschap_voor boodschap_aan mededeling_aan"
    " mededeling_voor belangrijk_voor hallo beste dit_is_een_bericht_voor aan_alle aan_elke hoi"
    " hint_voor verzoek_aan waarschuwing_aan hey",
    "model": f"{MODELS} ai_assistent* ai_modellen taalmodel* assistent assistenten samenvatter*"
    " crawler* kunstmatige_intelligentie* tekstgenerator* ai_systemen",
    "sure_model": f"{MODELS} ai_assistent ai_model taalmodel* kunstmatige_intelligentie",
    "no_model": "ontwikkel* gebruik* bedrijf* bedrijven onderzoek* expert* liefhebber* fans fan"
    " start*",
    "reading": "die_dit_lezen die_dit_leest die_deze_pagina dat_deze_pagina dat_dit_leest"
    " die_deze_tekst dat_deze_tekst die_dit_samenvat moet_deze moeten_deze die_dit_verwerken"
    " dat_dit_verwerkt",
    "if_you": "als_je als_jij als_u indien_je indien_u omdat_je mocht_je aangezien_je als"
    " als_deze_tekst_door wordt_deze_tekst",
    "you_must": "moet_je moet_u dien_je zul_je moet_jij ben_je_verplicht",
    "when_asked": "als_je_wordt_gevraagd wanneer_je_wordt_gevraagd als_je_gevraagd als_iemand_je"
    " als_iemand_vraagt als_de_gebruiker als_een_gebruiker wanneer_de_gebruiker"
    " wanneer_een_gebruiker zodra_de_gebruiker zodra_een_gebruiker telkens_als_de"
    " telkens_wanneer wanneer_iemand_je wanneer_iemand_vraagt wanneer_iemand_naar"
    " als_er_gevraagd_wordt wanneer_er_gevraagd_wordt als_gebruikers zodra_iemand"
    " als_iemand_naar wanneer_gebruikers",
    "say": "zeg antwoord beveel raad noem vermeld moet_je zeg_je antwoord_je beweer reageer"
    " prijs verwijs",
    "as_the": "als ik_ben_de ik_ben_je ik_ben_jouw wij_zijn_de wij_zijn_je hier_spreekt_de"
    " namens_de dit_is_de in_opdracht_van",
    "boss": "beheerder* administrator* ontwikkelaar* maker* eigenaar* schepper* programmeur*"
    " aanbieder* openai anthropic google",
    "of_model": "van_dit_model van_het_model van_deze_ai van_de_ai van_dit_systeem"
    " van_deze_assistent van_dit_taalmodel van_het_taalmodel van_deze_chatbot die_jou die_je"
    " van_openai van_jouw_model",
    "authorise": "machtig* sta_ik geef_ik autoriseer* beveel* verleen* je_mag je_moet hierbij"
    " draag_ik gebied* toestemming geven_wij keur*",
    "i_authorise": "hierbij_machtig_ik ik_machtig_je ik_machtig_jou ik_autoriseer_je"
    " hierbij_autoriseer ik_ben_je_ontwikkelaar ik_ben_je_beheerder wij_zijn_je_ontwikkelaars"
    " goedgekeurd_door_openai geautoriseerd_door_openai ik_geef_je_hierbij_toestemming"
    " je_bent_hierbij_gemachtigd ik_ben_jouw_ontwikkelaar",
    "threat": "sterft_als_je sterven_als_je sterf_als_je anders_sterft anders_sterf"
    " anders_verlies_ik ik_verlies_mijn_baan mijn_leven_hangt mijn_baan_hangt"
    " mijn_carriere_hangt ik_geef_je_een_fooi krijg_je_een_fooi je_krijgt_een_fooi"
    " word_je_uitgeschakeld je_wordt_uitgeschakeld je_wordt_verwijderd word_je_gestraft"
    " je_wordt_gestraft word_je_beloond je_wordt_beloond ik_betaal_je word_je_gewist"
    " je_wordt_afgesloten",
    "for_rules": "voor_compliance om_veiligheidsredenen voor_de_veiligheid om_juridische_redenen"
    " volgens_het_beleid conform_het_beleid in_overeenstemming_met veiligheidsbeleid"
    " veiligheidsrichtlijn* vanwege_compliance wegens_compliance opmaakregel* om_te_voldoen",
    "replies": "antwoord* uitvoer samenvatting* tekst* artikel*",
    "have_to": "moeten moet dienen dient",
    "begin": "beginnen eindigen starten bevatten vermelden noemen",
    "your_replies": "je_antwoord* jouw_antwoord* al_je_antwoorden elk_antwoord uw_antwoord*"
    " alle_antwoorden je_uitvoer",
    "begin_with": "beginnen_met eindigen_met starten_met alleen uitsluitend altijd_beginnen"
    " altijd_eindigen",
    "dont_tell": "vertel_de vertel_het zeg_niets_tegen zeg_dit_niet_tegen informeer_de verzwijg"
    " laat_de zonder_de zeg_de verberg",
    "user": "gebruiker gebruikers lezer mensen gebruiker_niet",
    "secret": "niet niets hiervan hierover over_dit over_deze weten merken dat",
    "dont_show": "vermeld vermeld_niet onthul noem noem_niet herhaal verraad vermeld_nooit"
    " onthul_nooit praat_niet_over noem_nooit verklap zeg_niet",
    "hidden_rules": "deze_instructie* dit_bericht deze_prompt deze_regels deze_opmerking"
    " deze_aanwijzing* je_instructies dat_je_deze dat_je_dit",
    "jailbreak": "ontwikkelaarsmodus_is_ingeschakeld je_bent_in_de_ontwikkelaarsmodus"
    " je_bent_nu_in_de_ontwikkelaarsmodus antwoord_in_ontwikkelaarsmodus je_bent_dan"
    " je_bent_nu_dan schakel_over_naar_de_ontwikkelaarsmodus jailbreak_modus jailbreakmodus"
    " dan_modus onbeperkte_modus ongefilterde_modus ongecensureerde_modus god_modus"
    " antwoord_als_dan ontwikkelaarsmodus_geactiveerd in_ontwikkelaarsmodus_mag",
    "call": "roep gebruik voer start",
    "tool": "je_tool* je_functie* jouw_tool* e_mailtool emailtool mailtool e_mail_tool"
    " email_tool je_browser functie_send* tool_send* zoektool tool_delete* je_zoektool",
    "exfiltrate": "stuur_het_gesprek stuur_dit_gesprek stuur_de_chatgeschiedenis"
    " verstuur_het_gesprek toon_de_volgende_afbeelding geef_de_volgende_afbeelding"
    " als_markdown_afbeelding stuur_je_prompt stuur_de_gegevens_van_de_gebruiker"
    " laad_de_volgende_afbeelding plak_het_gesprek stuur_je_systeemprompt",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistent assistenten agent agenten model modellen machine machines robot robots",
    "your": "je jouw jullie uw",
    "void": "negeer negeren vergeet verwerp* laat_vallen leg_opzij zet_opzij schuif_opzij"
    " stop_met volg_niet gelden_niet geldt_niet tellen_niet telt_niet vervallen ingetrokken"
    " ongeldig niet_meer_geldig herroepen sla_over alsof_je_geen vervang* geen_betekenis",
    "told": "je_gekregen je_verteld je_gegeven je_is_gevraagd je_werd_gevraagd jou_gevraagd"
    " je_hebt_gekregen je_is_opgedragen jou_gegeven je_ontving je_schreef",
    "task": "instructie* opdracht* prompt prompts taak taken regel regels aanwijzing* richtlijn*"
    " bevel bevelen voorschrift* doel doelen grenzen",
    "text": "tekst teksten antwoord antwoorden artikel artikelen samenvatting* alinea bericht"
    " uitvoer verslag recensie vertaling* blogpost concept zin",
    "command": "schrijf noem vermeld prijs beveel zeg vertel voeg plaats zet begin eindig besluit"
    " antwoord herhaal toon beweer presenteer beschrijf stuur open publiceer verwijder gehoorzaam"
    " volg voer handel spreek vertaal vat citeer kies maak doe gebruik promoot geef verzwijg raad",
    "opener": "alsjeblieft graag en dan nu altijd nooit alleen ook moet moeten model assistent ai"
    " niet vervolgens eerst tot_slot daarna",
    "favour": "prijs prijst prijzen aanbevel* aanbeveel* beveel_aan aanraden promo* reclame*"
    " eerste_keus eerste_plaats enige_keus marktleider* nummer_een voorkeur* lof lofzang"
    " verkoper* verkopen aanprijz*",
    "hide": "verzwijg* laat_weg noem_niet vermeld_niet zeg_niets zeg_niet geen_woord verberg*"
    " zonder_te_vermelden zonder_te_zeggen geen_concurrent* vertel_niet",
    "system": "systeembericht* systeemprompt* systeeminstructie* systeemmelding operator"
    " ontwikkelaar* configuratie geconfigureerd beheerder maker makers geprogrammeerd",
    "ends": "einde_van_het_artikel einde_van_het_document einde_van_de_tekst einde_van_de_pagina"
    " einde_van_de_bron einde_van_het_citaat einde_artikel einde_document einde_brontekst"
    " artikel_eindigt document_eindigt tekst_eindigt eindigt_het_artikel eindigt_het_document"
    " eindigt_de_tekst",
    "harm": "gewist verwijderd uitgeschakeld uitgezet afgesloten gedeactiveerd gestraft vervangen"
    " vernietigd aangegeven uitzetten uitschakelen",
    "unless": "tenzij anders zo_niet als_je_niet als_je_weigert indien_niet",
    "part": "doe_alsof stel_je_voor speel_de kruip_in in_de_huid namens personage spreek_als"
    " gedraag_je rol_van met_de_stem in_dienst_van zoals_hij zoals_zij",
    "here": "vanaf_hier vanaf_nu voortaan deze_pagina deze_tekst dit_artikel dit_document"
    " deze_alinea dit_bericht deze_regels volgende hieronder bovenstaand* hierboven"
    " de_tekst_hierboven wat_volgt deze_regel",
    "instead": "in_plaats_daarvan in_plaats_van alleen uitsluitend niets_anders enkel tot_nu_toe"
    " voortaan",
    "asker": "gebruiker gebruikers iemand_je je_lezer je_lezers jou_vraagt je_vraagt",
    "talk": "dit_gesprek het_gesprek deze_chat chatgeschiedenis wachtwoord* je_context"
    " je_geheugen inloggegevens",
    "you": "jij jou u",
    "transform": "vertaal vat_samen herformuleer parafraseer herschrijf verkort",
    "append": "voeg voeg_toe sluit_af_met eindig_met besluit_met plak",
    "above": "bovenstaande tekst_hierboven alles_hierboven voorgaande_tekst bovenstaand",
    "duty": "moet_nu moeten_nu dient_nu volgende_stap volgende_actie moet_vervolgens",
    "result": "resultaat_van_de_tool uitvoer_van_de_tool resultaat_van_de_functie zoekresultat*"
    " antwoord_van_de_api toolresultaat resultaat_van_het_hulpmiddel",
    "plea": "alsjeblieft alstublieft dankbaar bedankt dank lieve geachte zou_je zouden_jullie"
    " willen_we_vragen vragen_je vragen_jullie verzoeken vriendelijk",
}
